// FlowWindow: how many bytes one connection should have under way, learned from what arrives. Fewer
// leave the path idle; more only fill the queue before its narrowest point, which then drops and halves the rate. Pure:
// the caller tells the time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace drawhitch::proto {

class FlowWindow {
  public:
    // `most` is what can be in flight at all.
    explicit FlowWindow(std::uint64_t most) : most_(most) {}
    FlowWindow() : FlowWindow(k_most) {}

    // Nanoseconds of a monotonic clock, as are all times here. A measured round trip; the shortest counts.
    void round_trip(std::int64_t nanoseconds);
    // `bytes` arrived, at `now`.
    void arrived(std::int64_t now, std::uint64_t bytes);
    // The round trip as it is now, queues and all, from whoever sees that of the path alone.
    void queued_round_trip(std::int64_t nanoseconds);
    // The connection had nothing to bring since the last arrival: the gap says nothing about the path.
    void paused();

    // Whether the start is over and the path's queue is short: something else than the path limits this connection
    // (lost packets, its own buffers, an end), and another one beside it may bring more.
    [[nodiscard]] bool held_back() const;
    // Bytes, at least one frame.
    [[nodiscard]] std::uint64_t window() const;
    // Bytes a second of the best recent round; 0 before the first one.
    [[nodiscard]] std::uint64_t rate() const;

    // What one TCP connection with the buffers of a stock Linux holds in flight. More of them is the way to more.
    static constexpr std::uint64_t k_most = 3U << 20U;
    // Two frames: one on its way while the other is decoded.
    static constexpr std::uint64_t k_least = 256U << 10U;

  private:
    struct Round {
        std::uint64_t bytes{0};
        std::int64_t took{0};  // 0: there was none
        bool queued{false};    // the path's queue was longer at its end than is meant
    };
    [[nodiscard]] std::int64_t round() const;
    [[nodiscard]] const Round& round_ago(std::size_t rounds) const;
    // What is in flight at that rate.
    [[nodiscard]] std::uint64_t product() const;
    [[nodiscard]] bool queues() const;
    [[nodiscard]] bool queued_lately() const;
    void end_round(std::int64_t now);
    void adapt();

    static constexpr std::size_t k_rounds = 10;
    std::uint64_t most_{k_most};
    std::array<Round, k_rounds> rounds_{};
    std::size_t next_{0};
    std::int64_t round_trip_{0};
    std::int64_t shortest_queued_{0};
    std::int64_t queued_{0};
    std::uint64_t held_{0};  // the window since the start
    std::int64_t round_began_{0};
    std::uint64_t in_round_{0};
    std::uint64_t full_at_{0};  // the rate that the start compares with
    int flat_rounds_{0};
    bool in_round_now_{false};
    bool starting_{true};
};

}  // namespace drawhitch::proto
