#include "core/proto/flow_window.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using drawhitch::proto::FlowWindow;

namespace {

constexpr std::int64_t k_millisecond = 1'000'000;

// A path with one bottleneck: what is granted arrives after the round trip, no faster than `rate`. The queue grows with
// whatever is granted beyond what the path holds.
struct Path {
    std::uint64_t rate{0};  // bytes a second
    std::int64_t round_trip{0};
    std::uint64_t largest_queue{0};
    std::int64_t began{0};

    // Sends for `duration`; returns the bytes that arrived in its second half.
    std::uint64_t run(FlowWindow& window, std::int64_t duration) {
        struct Piece {
            std::int64_t at{0};
            std::uint64_t bytes{0};
        };
        constexpr std::uint64_t k_piece = 16U << 10U;
        std::deque<Piece> flying;
        std::int64_t free_at = 0;  // when the bottleneck has sent all it has
        std::uint64_t outstanding = 0;
        std::uint64_t late = 0;
        const std::int64_t ends = began + duration;
        for (std::int64_t now = began; now < ends; now += k_millisecond / 4) {
            while (!flying.empty() && flying.front().at <= now) {
                outstanding -= flying.front().bytes;
                window.arrived(flying.front().at, flying.front().bytes);
                if (now > ends - duration / 2) late += flying.front().bytes;
                flying.pop_front();
            }
            while (outstanding + k_piece <= window.window()) {
                free_at = std::max(free_at, now + round_trip / 2) +
                          static_cast<std::int64_t>(k_piece * 1'000'000'000ULL / rate);
                flying.push_back({free_at + round_trip / 2, k_piece});
                outstanding += k_piece;
                const std::int64_t waits = free_at - now - round_trip / 2;
                if (now > ends - duration / 2)
                    largest_queue = std::max(largest_queue,
                                             static_cast<std::uint64_t>(waits) * rate / std::uint64_t{1'000'000'000});
            }
        }
        began = ends;
        return late;
    }
};

}  // namespace

TEST_CASE("the window grows until the path is full, and then leaves the queue short") {
    const auto [rate, trip] =
        GENERATE(std::pair<std::uint64_t, int>{25'000'000, 80}, std::pair<std::uint64_t, int>{100'000'000, 20},
                 std::pair<std::uint64_t, int>{5'000'000, 150});
    Path path{rate, trip * k_millisecond};
    FlowWindow window;
    window.round_trip(path.round_trip);
    const std::uint64_t arrived = path.run(window, 8'000 * k_millisecond);
    const std::uint64_t possible = rate * 4;
    CAPTURE(rate, trip, window.window(), path.largest_queue);
    CHECK(arrived > possible / 100 * 95);
    const std::uint64_t holds = rate / 1000 * static_cast<std::uint64_t>(trip);
    const std::uint64_t at_the_ends = rate / 100;
    CHECK(window.window() <= std::max<std::uint64_t>(holds + holds / 4 + at_the_ends, 512U << 10U));
    CHECK(path.largest_queue <= std::max<std::uint64_t>(holds / 4 + at_the_ends, 512U << 10U));
}

TEST_CASE("one connection never has more in flight than its buffers hold") {
    Path path{125'000'000, 150 * k_millisecond};
    FlowWindow window;
    window.round_trip(path.round_trip);
    path.run(window, 4'000 * k_millisecond);
    CHECK(window.window() == FlowWindow::k_most);
}

TEST_CASE("a near box gets all that one connection may have, from the first byte") {
    FlowWindow window;
    window.round_trip(k_millisecond / 5);
    CHECK(window.window() == FlowWindow::k_most);
    window.arrived(0, 1);
    window.arrived(20 * k_millisecond, 1000);
    CHECK(window.window() == FlowWindow::k_most);
}

TEST_CASE("a path that got faster is noticed, and one that got slower within ten rounds") {
    FlowWindow window;
    Path path{5'000'000, 80 * k_millisecond};
    window.round_trip(path.round_trip);
    path.run(window, 4'000 * k_millisecond);
    const std::uint64_t narrow = window.window();
    path.rate = 20'000'000;
    FlowWindow grown = window;
    path.run(grown, 8'000 * k_millisecond);
    CHECK(grown.window() > narrow * 3);
    path.rate = 5'000'000;
    path.run(grown, 4'000 * k_millisecond);
    CHECK(grown.window() < narrow + narrow / 2);
}

TEST_CASE("a pause is not taken for a slow path") {
    FlowWindow window;
    window.round_trip(80 * k_millisecond);
    std::int64_t now = 0;
    for (int i = 0; i < 40; ++i) {
        window.arrived(now, 200'000);
        now += 10 * k_millisecond;
    }
    const std::uint64_t rate = window.rate();
    for (int i = 0; i < 20; ++i) {
        window.paused();
        now += 5'000 * k_millisecond;
        for (int k = 0; k < 20; ++k) {
            window.arrived(now, 200'000);
            now += 10 * k_millisecond;
        }
    }
    CHECK(window.rate() > rate / 10 * 9);
}

TEST_CASE("what is told about no time or backwards in time does no harm") {
    FlowWindow window;
    window.round_trip(0);
    window.round_trip(-5);
    window.arrived(100, 50);
    window.arrived(50, 50);
    window.arrived(50, 50);
    CHECK(window.window() == 512U << 10U);
    window.round_trip(80 * k_millisecond);
    CHECK(window.window() >= 256U << 10U);
}

TEST_CASE("a window shrinks only where the path's queue shows that the path is what limits") {
    const auto slowed_down = [](std::int64_t queued) {
        FlowWindow window;
        window.round_trip(80 * k_millisecond);
        window.queued_round_trip(80 * k_millisecond);
        Path path{20'000'000, 80 * k_millisecond};
        path.run(window, 2'000 * k_millisecond);
        const std::uint64_t before = window.window();
        window.queued_round_trip(queued);
        path.rate = 5'000'000;
        path.run(window, 4'000 * k_millisecond);
        return std::pair{before, window.window()};
    };
    const auto [free, still] = slowed_down(81 * k_millisecond);
    CHECK(still >= free);
    const auto [full, shrunk] = slowed_down(95 * k_millisecond);
    CHECK(shrunk < full / 2);
}

TEST_CASE("what comes in lumps is not taken for a fast path") {
    FlowWindow window;
    window.round_trip(80 * k_millisecond);
    std::int64_t now = 0;
    // 10 MB a second, of which every other round arrives with the next one.
    for (int i = 0; i < 60; ++i) {
        window.arrived(now, 50'000);
        now += 80 * k_millisecond;
        window.arrived(now, 50'000);
        now += 80 * k_millisecond;
        window.arrived(now, 1'500'000);
    }
    CHECK(window.rate() < 12'000'000);
}
