// Crew: the connections of one transfer. Begins with one, adds others while that brings more, races one that has gone
// silent with a fresh one, and ends them all when the transfer is over. Knows nothing of what they move.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "core/plan/crew_size.hpp"
#include "flow/transfer/link.hpp"

namespace drawhitch::flow {

// What one connection shows of itself while it works. Times are nanoseconds of the Op's clock.
struct Seat {
    std::atomic<std::uint64_t> moved{0};      // data payload, over all its links
    std::atomic<std::int64_t> round_trip{0};  // 0 until it was measured
    std::atomic<std::int64_t> heard{0};       // when anything last came; 0 while it has no link
    std::atomic<bool> linked{false};          // had a link, at any time
    std::atomic<bool> reserve{false};         // is to finish what it has begun, and take nothing more
    std::atomic<bool> waits{false};           // for answers
    std::atomic<bool> held_back{false};       // by something else than the path
    std::atomic<bool> ended{false};
};

// The work that all connections share. Thread-safe.
class SharedWork {
  public:
    virtual ~SharedWork() = default;
    [[nodiscard]] virtual bool over() const = 0;
    // Waits for the end.
    virtual void wait_over(milliseconds most) = 0;
    virtual void stop(Error error) = 0;
    // Raw bytes that are still to be moved.
    [[nodiscard]] virtual std::uint64_t bytes_left() const = 0;
    // How many connections share it now.
    virtual void set_connections(std::size_t count) = 0;
};

class Crew {
  public:
    // One connection's work, in a thread of its own: until all is over, or it cannot go on.
    using Serve = std::function<Status(const Op& op, std::optional<Link> link, Seat& seat)>;

    // The references outlive the crew.
    Crew(SharedWork& shared, const Serve& serve, plan::CrewSize size) : shared_(shared), serve_(serve), size_(size) {}

    // Works until all is over, or stopped: by the op, or because no connection is left. `first` is a connection to
    // begin with.
    void work(const Op& op, std::optional<Link> first);

  private:
    struct Member {
        Seat seat{};
        std::thread thread{};
    };
    void add(const Op& op, std::optional<Link> link);
    void look(const Op& op, const Op& theirs);
    void call_up(int wanted, int working);
    void ended(const Op& op, Seat& seat, const Status& how);

    SharedWork& shared_;
    const Serve& serve_;
    plan::CrewSize size_;
    std::vector<std::unique_ptr<Member>> members_{};
    std::atomic<int> alive_{0};
    std::atomic<bool> refused_{false};
};

}  // namespace drawhitch::flow
