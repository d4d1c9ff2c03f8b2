#include "core/proto/rate_bucket.hpp"

#include <algorithm>
#include <cmath>

#include "core/proto/limits.hpp"

namespace drawhitch::proto {

namespace {

constexpr double k_second = 1e9;       // nanoseconds
constexpr std::uint64_t k_bursts = 8;  // a burst is that part of a second, and one data frame at least

}  // namespace

RateBucket::RateBucket(std::uint64_t rate)
    : rate_(std::max<std::uint64_t>(1, rate)), burst_(std::max<std::uint64_t>(k_data_payload_max, rate / k_bursts)) {
    level_ = static_cast<double>(burst_);
}

void RateBucket::refill(std::int64_t now) {
    if (!begun_) filled_at_ = now;
    begun_ = true;
    if (now <= filled_at_) return;  // another thread was here with a later look at the clock
    const double came = static_cast<double>(now - filled_at_) / k_second * static_cast<double>(rate_);
    level_ = std::min(level_ + came, static_cast<double>(burst_));
    filled_at_ = now;
}

std::uint64_t RateBucket::take(std::int64_t now, std::uint64_t least, std::uint64_t most) {
    refill(now);
    const std::uint64_t taken = std::min(most, static_cast<std::uint64_t>(level_));
    if (taken < least || taken == 0) return 0;
    level_ -= static_cast<double>(taken);
    return taken;
}

std::int64_t RateBucket::wait_for(std::int64_t now, std::uint64_t bytes) const {
    const double since = begun_ && now > filled_at_ ? static_cast<double>(now - filled_at_) : 0;
    const double level = level_ + since / k_second * static_cast<double>(rate_);
    const double lacks = static_cast<double>(std::min(bytes, burst_)) - level;
    if (lacks <= 0) return 0;
    return static_cast<std::int64_t>(std::ceil(lacks / static_cast<double>(rate_) * k_second));
}

}  // namespace drawhitch::proto
