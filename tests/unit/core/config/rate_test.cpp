#include "core/config/rate.hpp"

#include <catch2/catch_test_macros.hpp>

using drawhitch::config::parse_rate;

TEST_CASE("a bandwidth is bytes a second in powers of 1024, or bits in powers of ten") {
    CHECK(parse_rate("20M") == 20U << 20U);
    CHECK(parse_rate("500k") == 500U << 10U);
    CHECK(parse_rate("500K/s") == 500U << 10U);
    CHECK(parse_rate("1.5MiB") == 3U << 19U);
    CHECK(parse_rate("160mbit") == 20'000'000);
    CHECK(parse_rate("160Mbit/s") == 20'000'000);
    CHECK(parse_rate("1gbit") == 125'000'000);
    CHECK(parse_rate("65536") == 65536);
    CHECK(parse_rate("none") == 0);
}

TEST_CASE("what is no bandwidth, or one at which nothing would end, is refused") {
    for (const char* word :
         {"", "0", "1", "9k", "-5M", "M", "5X", "20 M", "nan", "inf", "1e9", "/s", "5M/s/s", "99999999999G"}) {
        INFO(word);
        CHECK_FALSE(parse_rate(word));
    }
    CHECK(parse_rate("10k") == drawhitch::config::k_least_rate);
}
