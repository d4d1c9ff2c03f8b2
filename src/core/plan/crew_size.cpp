#include "core/plan/crew_size.hpp"

#include <algorithm>

namespace drawhitch::plan {

namespace {

constexpr std::int64_t k_millisecond = 1'000'000;
constexpr double k_nanoseconds_a_second = 1e9;
// A stock TCP holds 3 MB in flight, so at 1 Gbit/s one connection more is needed for each 20 ms. OpenSSH's server takes
// 2 MiB ahead of its program.
constexpr std::int64_t k_trip_for_one_pull = 20 * k_millisecond;
constexpr std::int64_t k_trip_for_one_push = 16 * k_millisecond;
constexpr int k_most_at_once = 10;
// A connection costs several round trips: none is made for less than this, per connection.
constexpr std::uint64_t k_worth_one = 4U << 20U;
constexpr std::int64_t k_shortest_measure = 600 * k_millisecond;
constexpr std::int64_t k_trips_of_measure = 8;  // a start doubles each round trip: from 512 KiB to 3 MiB in three
constexpr double k_worth_growing = 1.15;
constexpr int k_most_in_vain = 2;
// Until a new connection is let in, greeted and up to speed.
constexpr std::int64_t k_trips_to_join = 20;

}  // namespace

void CrewSize::round_trip(std::int64_t nanoseconds) {
    if (nanoseconds > 0) round_trip_ = round_trip_ == 0 ? nanoseconds : std::min(round_trip_, nanoseconds);
}

int CrewSize::by_distance(Way way, std::int64_t round_trip, std::uint64_t left) {
    const std::int64_t for_one = way == Way::push ? k_trip_for_one_push : k_trip_for_one_pull;
    const auto far = static_cast<int>(std::min<std::int64_t>(1 + round_trip / for_one, k_most_at_once));
    const auto worth = static_cast<int>(std::min<std::uint64_t>(1 + left / k_worth_one, k_most_at_once));
    return std::min(far, worth);
}

void CrewSize::refused(int linked) {
    most_ = std::max(1, std::min(most_, linked));
    wanted_ = std::min(wanted_, most_);
    working_ = std::min(working_, most_);
    settled_ = true;
}

void CrewSize::look(const CrewSight& sight) {
    if (!begun_) {
        if (first_ == 0 && round_trip_ == 0) return;
        begun_ = true;
        wanted_ = working_ = std::clamp(first_ != 0 ? first_ : by_distance(way_, round_trip_, sight.left), 1, most_);
    }
    if (settled_ || round_trip_ == 0 || (working_ >= most_ && !grown())) return;
    if (sight.linked < working_) {
        since_ = 0;
        return;
    }
    if (since_ == 0) {
        since_ = sight.now;
        from_ = sight.received;
        return;
    }
    const std::int64_t took = sight.now - since_;
    if (took < std::max(k_shortest_measure, k_trips_of_measure * round_trip_)) return;
    const double rate =
        static_cast<double>(sight.received - from_) * k_nanoseconds_a_second / static_cast<double>(took);
    since_ = 0;
    const bool rises_by_itself = rate >= rate_seen_ * k_worth_growing;
    rate_seen_ = rate;
    if (rises_by_itself) return;
    if (grown()) judge(rate, 2 * sight.held_back >= sight.linked);
    // Where the path is full, more of them would only share it. That may change.
    if (!settled_ && 2 * sight.held_back >= sight.linked) grow(rate, sight.left);
}

// Whether the last growth brought more. Where packets get lost by chance the rate of each connection falls from what it
// had in its start, so that one growth alone does not tell.
void CrewSize::judge(double rate, bool held_back) {
    if (rate >= rate_good_ * k_worth_growing) {
        rate_good_ = rate;
        working_good_ = working_;
        in_vain_ = 0;
        return;
    }
    if (++in_vain_ < k_most_in_vain && held_back && working_ < most_) return;
    // The last ones crowd the queue before the narrowest point and take from the others.
    working_ = working_good_;
    settled_ = true;
}

void CrewSize::grow(double rate, std::uint64_t left) {
    const double seconds_left = static_cast<double>(left) / std::max(rate, 1.0);
    const double seconds_to_join = static_cast<double>(k_trips_to_join * round_trip_) / k_nanoseconds_a_second;
    if (seconds_left < seconds_to_join || left < k_worth_one * static_cast<std::uint64_t>(working_)) {
        settled_ = true;
        return;
    }
    if (!grown()) rate_good_ = rate;
    if (!grown()) working_good_ = working_;
    working_ = std::min(most_, working_ * 3);
    wanted_ = std::max(wanted_, working_);
    rate_seen_ = 0;
}

}  // namespace drawhitch::plan
