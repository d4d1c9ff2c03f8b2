#include "core/plan/crew_size.hpp"

#include <algorithm>

namespace drawhitch::plan {

namespace {

constexpr std::int64_t k_millisecond = 1'000'000;
constexpr double k_nanoseconds_a_second = 1e9;
// A stock TCP holds 3 MB in flight, so at 1 Gbit/s one connection more is needed for each 20 ms.
constexpr std::int64_t k_trip_for_one = 20 * k_millisecond;
constexpr int k_most_at_once = 8;
// A connection costs several round trips: none is made for less than this, per connection.
constexpr std::uint64_t k_worth_one = 4U << 20U;
constexpr std::int64_t k_shortest_measure = 600 * k_millisecond;
constexpr std::int64_t k_trips_of_measure = 8;  // a start doubles each round trip: from 512 KiB to 3 MiB in three
constexpr double k_worth_growing = 1.15;

}  // namespace

void CrewSize::round_trip(std::int64_t nanoseconds) {
    if (nanoseconds > 0) round_trip_ = round_trip_ == 0 ? nanoseconds : std::min(round_trip_, nanoseconds);
}

int CrewSize::by_distance(std::uint64_t left) const {
    const auto far = static_cast<int>(std::min<std::int64_t>(1 + round_trip_ / k_trip_for_one, k_most_at_once));
    const auto worth = static_cast<int>(std::min<std::uint64_t>(1 + left / k_worth_one, k_most_at_once));
    return std::min(far, worth);
}

void CrewSize::refused(int linked) {
    most_ = std::max(1, std::min(most_, linked));
    wanted_ = std::min(wanted_, most_);
    working_ = std::min(working_, most_);
    settled_ = true;
}

void CrewSize::look(std::int64_t now, int linked, std::uint64_t received, std::uint64_t left) {
    if (!begun_) {
        if (first_ == 0 && round_trip_ == 0) return;
        begun_ = true;
        wanted_ = working_ = std::clamp(first_ != 0 ? first_ : by_distance(left), 1, most_);
    }
    if (settled_ || round_trip_ == 0 || (working_ >= most_ && working_before_ == 0)) return;
    if (linked < working_) {
        since_ = 0;
        return;
    }
    if (since_ == 0) {
        since_ = now;
        from_ = received;
        return;
    }
    const std::int64_t took = now - since_;
    if (took < std::max(k_shortest_measure, k_trips_of_measure * round_trip_)) return;
    grow(static_cast<double>(received - from_) * k_nanoseconds_a_second / static_cast<double>(took), left);
}

void CrewSize::grow(double rate, std::uint64_t left) {
    const bool brought_more = rate >= rate_before_ * k_worth_growing;
    // The last ones crowd the queue before the narrowest point and take from the others.
    if (!brought_more && working_before_ > 0) working_ = working_before_;
    if (!brought_more || working_ >= most_ || left < k_worth_one * static_cast<std::uint64_t>(working_)) {
        settled_ = true;
        return;
    }
    rate_before_ = rate;
    working_before_ = working_;
    working_ = std::min(most_, std::max(working_ + 1, working_ * 2));
    wanted_ = std::max(wanted_, working_);
    since_ = 0;
}

}  // namespace drawhitch::plan
