#include "core/plan/crew_size.hpp"

#include <algorithm>

#include <catch2/catch_test_macros.hpp>

using drawhitch::plan::CrewSize;
using drawhitch::plan::Way;

namespace {

constexpr std::int64_t k_millisecond = 1'000'000;
constexpr std::uint64_t k_much = 1ULL << 40U;

// Looks every 50 ms for `seconds`, at a path on which `n` connections bring rate(n) bytes a second together.
template <class Rate>
int after(CrewSize& size, int seconds, const Rate& rate, std::uint64_t left = k_much, int held_back = 99) {
    double moved = 0;
    for (std::int64_t now = 1; now < seconds * 1000 * k_millisecond; now += 50 * k_millisecond) {
        size.look({now, size.working(), std::min(held_back, size.working()), static_cast<std::uint64_t>(moved), left});
        moved += rate(size.working()) / 20.0;
    }
    return size.wanted();
}

}  // namespace

TEST_CASE("a near box is served by one connection, a far one by more at once") {
    const auto begun = [](Way way, int trip) {
        CrewSize size{way, 32, 0};
        size.round_trip(trip * k_millisecond);
        size.look({1, 1, 0, 0, k_much});
        return size.wanted();
    };
    CHECK(begun(Way::pull, 1) == 1);
    CHECK(begun(Way::pull, 20) == 2);
    CHECK(begun(Way::pull, 80) == 5);
    CHECK(begun(Way::pull, 150) == 8);
    CHECK(begun(Way::pull, 600) == 10);
    CHECK(begun(Way::push, 20) == 2);
    CHECK(begun(Way::push, 150) == 10);
}

TEST_CASE("nothing is decided before the round trip is known, unless the number was given") {
    CrewSize size{Way::pull, 8, 0};
    size.look({1, 1, 0, 0, k_much});
    CHECK(size.wanted() == 1);
    CrewSize given{Way::pull, 8, 3};
    given.look({1, 1, 0, 0, k_much});
    CHECK(given.wanted() == 3);
    CrewSize bounded{Way::pull, 2, 3};
    bounded.look({1, 1, 0, 0, k_much});
    CHECK(bounded.wanted() == 2);
}

TEST_CASE("connections are added while they bring more, and no longer") {
    CrewSize lossy{Way::pull, 32, 0};
    lossy.round_trip(80 * k_millisecond);
    CHECK(after(lossy, 20, [](int n) { return 2e6 * n; }) == 32);

    CrewSize narrow{Way::pull, 32, 0};
    narrow.round_trip(80 * k_millisecond);
    CHECK(after(narrow, 20, [](int n) { return std::min(24e6, 10e6 * n); }) == 32);
    CHECK(narrow.working() == 5);  // those that brought nothing are the reserve
}

TEST_CASE("little is fetched over few connections") {
    CrewSize size{Way::pull, 8, 0};
    size.round_trip(150 * k_millisecond);
    CHECK(after(
              size, 5, [](int) { return 1e6; }, 3U << 20U) == 1);
}

TEST_CASE("a connection that was refused is the last that was asked for") {
    CrewSize size{Way::pull, 16, 0};
    size.round_trip(150 * k_millisecond);
    size.look({1, 1, 0, 0, k_much});
    REQUIRE(size.wanted() == 8);
    size.refused(4);
    CHECK(size.wanted() == 4);
    CHECK(after(size, 20, [](int n) { return 1e6 * n; }) == 4);
    size.refused(0);
    CHECK(size.wanted() == 1);
}

TEST_CASE("none is added while the path itself limits most of them") {
    const auto with_held_back = [](int held_back) {
        CrewSize size{Way::pull, 32, 0};
        size.round_trip(80 * k_millisecond);
        return after(
            size, 5, [](int n) { return 2e6 * n; }, k_much, held_back);
    };
    CHECK(with_held_back(2) == 5);
    CHECK(with_held_back(3) > 5);
}

TEST_CASE("none is added that would come when all is over") {
    const auto with_left = [](double seconds) {
        CrewSize size{Way::pull, 32, 0};
        size.round_trip(150 * k_millisecond);
        const auto rate = [](int n) { return 15e6 * n; };
        return after(size, 5, rate, static_cast<std::uint64_t>(seconds * rate(8)));
    };
    CHECK(with_left(2.9) == 8);
    CHECK(with_left(3.5) > 8);
}
