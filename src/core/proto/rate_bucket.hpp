// RateBucket: how many bytes may move now so that no more than `rate` a second do. Whatever the moment one begins to
// count, within t seconds at most burst() + rate * t bytes are let through. Pure: the caller tells the time.
#pragma once

#include <cstdint>

namespace drawhitch::proto {

class RateBucket {
  public:
    // Bytes a second; at least one. Full at the start.
    explicit RateBucket(std::uint64_t rate);

    // Takes as many bytes as may move at `now` (nanoseconds of a monotonic clock), `most` at most; nothing where those
    // were fewer than `least`. `least` is at most burst().
    std::uint64_t take(std::int64_t now, std::uint64_t least, std::uint64_t most);
    // Nanoseconds from `now` until so many can be taken at once, if nobody else takes any.
    [[nodiscard]] std::int64_t wait_for(std::int64_t now, std::uint64_t bytes) const;

    [[nodiscard]] std::uint64_t rate() const { return rate_; }
    [[nodiscard]] std::uint64_t burst() const { return burst_; }

  private:
    void refill(std::int64_t now);

    std::uint64_t rate_{1};
    std::uint64_t burst_{0};
    double level_{0};
    std::int64_t filled_at_{0};
    bool begun_{false};
};

}  // namespace drawhitch::proto
