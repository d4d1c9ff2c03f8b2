// FlowWindow: how many bytes one connection should have under way towards us, learned from what arrives. Fewer leave
// the path idle; more only fill the queue before its narrowest point, which then drops and halves the rate. Pure: the
// caller tells the time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace drawhitch::plan {

class FlowWindow {
  public:
    // Nanoseconds of a monotonic clock, as are all times here. A measured round trip; the shortest counts.
    void round_trip(std::int64_t nanoseconds);
    // `bytes` arrived, at `now`.
    void arrived(std::int64_t now, std::uint64_t bytes);
    // The connection had nothing to bring since the last arrival: the gap says nothing about the path.
    void paused();

    // Bytes, at least one frame, at most k_most.
    [[nodiscard]] std::uint64_t window() const;
    // Bytes a second of the best recent round; 0 before the first one.
    [[nodiscard]] std::uint64_t rate() const;

    // What one TCP connection with the buffers of a stock Linux holds in flight. More of them is the way to more.
    static constexpr std::uint64_t k_most = 3U << 20U;

  private:
    [[nodiscard]] std::int64_t round() const;
    void end_round(std::int64_t now);

    static constexpr std::size_t k_rounds = 10;
    std::array<std::uint64_t, k_rounds> rates_{};  // bytes a second of the last rounds
    std::size_t next_{0};
    std::int64_t round_trip_{0};
    std::int64_t round_began_{0};
    std::uint64_t in_round_{0};
    std::uint64_t full_at_{0};  // the rate that the start compares with
    int flat_rounds_{0};
    bool in_round_now_{false};
    bool starting_{true};
};

}  // namespace drawhitch::plan
