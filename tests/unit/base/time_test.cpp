#include "base/time.hpp"

#include <catch2/catch_test_macros.hpp>

#include "base/retry.hpp"

using namespace drawhitch;
using std::chrono::seconds;

TEST_CASE("times are written as RFC 3339 in UTC") {
    CHECK(rfc3339({0, 0}) == "1970-01-01T00:00:00Z");
    CHECK(rfc3339({1795819205, 999}) == "2026-11-27T22:40:05Z");
    CHECK(rfc3339({-1, 0}) == "1969-12-31T23:59:59Z");
}

TEST_CASE("durations are shown in the two units that matter") {
    CHECK(human_duration(seconds{0}) == "0 s");
    CHECK(human_duration(seconds{59}) == "59 s");
    CHECK(human_duration(seconds{61}) == "1 min 1 s");
    CHECK(human_duration(seconds{1234}) == "20 min");
    CHECK(human_duration(seconds{3600 * 3 + 60 * 20}) == "3 h 20 min");
    CHECK(human_duration(seconds{86'400 * 2 + 3600 * 4}) == "2 d 4 h");
    CHECK(human_duration(seconds{-61}) == "-1 min 1 s");
}

TEST_CASE("waits grow, stay below the cap and never undercut the server") {
    const RetryPolicy policy{.max_attempts = 5, .base = milliseconds{500}, .cap = milliseconds{4000}, .factor = 2.0};
    constexpr std::uint64_t k_low = 0;
    constexpr std::uint64_t k_high = ~0ULL;
    struct Row {
        int attempt{0};
        int low{0};
        int high{0};
    };
    for (const Row row :
         {Row{1, 250, 500}, Row{2, 250, 1000}, Row{3, 250, 2000}, Row{4, 250, 4000}, Row{50, 250, 4000}}) {
        CHECK(next_delay(policy, row.attempt, std::nullopt, k_low) == milliseconds{row.low});
        const auto most = next_delay(policy, row.attempt, std::nullopt, k_high);
        CHECK(most <= milliseconds{row.high});
        CHECK(most >= milliseconds{row.high - 1});
    }
    CHECK(next_delay(policy, 1, milliseconds{9000}, k_low) == milliseconds{9000});
    CHECK(next_delay(policy, 4, milliseconds{1}, k_high) >= milliseconds{3999});
}

TEST_CASE("a time that was written is read again, and nothing else is") {
    for (const std::int64_t moment : {0LL, 1'700'000'000LL, 951'782'400LL, 4'102'444'799LL})
        CHECK(read_rfc3339(rfc3339({moment, 0})) == WallTime{moment, 0});
    for (const char* text : {"", "2026-06-31T00:00:00Z", "2026-11-27T24:00:00Z", "2026-11-27 23:20:05Z",
                             "2026-11-27T23:20:05", "2026-11-27T23:20:05ZZ", "x026-11-27T23:20:05Z"})
        CHECK_FALSE(read_rfc3339(text));
}
