#include "core/proto/rate_bucket.hpp"

#include <catch2/catch_test_macros.hpp>
#include <random>
#include <vector>

#include "core/proto/limits.hpp"

using namespace drawhitch;
using proto::RateBucket;

namespace {

constexpr std::int64_t k_second = 1'000'000'000;

struct Moved {
    std::int64_t at{0};
    std::uint64_t bytes{0};
};

// Between any two moments no more moved than the burst and what the rate allows for the time between them.
bool holds(const std::vector<Moved>& moved, const RateBucket& bucket) {
    for (std::size_t from = 0; from < moved.size(); ++from) {
        std::uint64_t sum = 0;
        for (std::size_t to = from; to < moved.size(); ++to) {
            sum += moved[to].bytes;
            const double took = static_cast<double>(moved[to].at - moved[from].at) / 1e9;
            const double allowed = static_cast<double>(bucket.burst()) + took * static_cast<double>(bucket.rate()) + 1;
            if (static_cast<double>(sum) > allowed) return false;
        }
    }
    return true;
}

}  // namespace

TEST_CASE("whatever is asked for and when, no more moves than burst and rate allow") {
    std::mt19937 random{20261129};
    for (const std::uint64_t rate : {1'000ULL, 200'000ULL, 20'000'000ULL}) {
        INFO("rate " << rate);
        RateBucket bucket{rate};
        std::vector<Moved> moved;
        std::int64_t now = 5 * k_second;
        for (int i = 0; i < 600; ++i) {
            now += static_cast<std::int64_t>(random() % (i % 50 == 0 ? 20 * k_second : k_second / 20));
            const std::uint64_t most = 1 + random() % (4 * bucket.burst());
            moved.push_back({now, bucket.take(now, random() % bucket.burst(), most)});
        }
        CHECK(holds(moved, bucket));
    }
}

TEST_CASE("who takes whenever the bucket says so gets the whole rate") {
    RateBucket bucket{1'000'000};
    std::int64_t now = 0;
    std::uint64_t sum = 0;
    while (now < 100 * k_second) {
        sum += bucket.take(now, 100'000, 100'000);
        now += std::max<std::int64_t>(1, bucket.wait_for(now, 100'000));
    }
    CHECK(sum >= 99'000'000);
    CHECK(sum <= 100'000'000 + bucket.burst());
}

TEST_CASE("a frame always gets through, however low the rate, and the wait for it is told") {
    RateBucket bucket{10'000};
    CHECK(bucket.take(0, proto::k_data_payload_max, proto::k_data_payload_max) == proto::k_data_payload_max);
    CHECK(bucket.take(0, 1, 1) == 0);
    const std::int64_t wait = bucket.wait_for(0, proto::k_data_payload_max);
    CHECK(bucket.take(wait - 1'000'000, proto::k_data_payload_max, proto::k_data_payload_max) == 0);
    CHECK(bucket.take(wait, proto::k_data_payload_max, proto::k_data_payload_max) == proto::k_data_payload_max);
}

TEST_CASE("less than what is worth it is not taken") {
    RateBucket bucket{10'000};
    bucket.take(0, 1, bucket.burst());
    CHECK(bucket.take(k_second, 10'001, 20'000) == 0);
    CHECK(bucket.take(k_second, 5'000, 20'000) == 10'000);
}

TEST_CASE("a clock that another thread has seen later takes nothing away and gives nothing") {
    RateBucket bucket{10'000};
    bucket.take(10 * k_second, 1, bucket.burst());
    CHECK(bucket.take(5 * k_second, 1, 1) == 0);
    CHECK(bucket.take(11 * k_second, 1, 20'000) == 10'000);
}
