// Throttle: one limit in bytes a second for all connections of a command, whichever way their data goes. Thread-safe.
// It never waits: who may not move anything now is told for how long, and stays alive meanwhile.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>

#include "base/time.hpp"
#include "core/proto/rate_bucket.hpp"

namespace drawhitch::agent {

class Throttle {
  public:
    explicit Throttle(std::uint64_t bytes_a_second) : bucket_(bytes_a_second) {}

    // See RateBucket::take.
    std::uint64_t take(Instant now, std::uint64_t least, std::uint64_t most) {
        const std::lock_guard lock{mutex_};
        return bucket_.take(now.time_since_epoch().count(), least, most);
    }
    // Until so many may move, rounded up to whole milliseconds.
    [[nodiscard]] milliseconds wait_for(Instant now, std::uint64_t bytes) const {
        const std::lock_guard lock{mutex_};
        return std::chrono::ceil<milliseconds>(
            std::chrono::nanoseconds{bucket_.wait_for(now.time_since_epoch().count(), bytes)});
    }
    [[nodiscard]] std::uint64_t rate() const { return bucket_.rate(); }

  private:
    mutable std::mutex mutex_{};
    proto::RateBucket bucket_;
};

}  // namespace drawhitch::agent
