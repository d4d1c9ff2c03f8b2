#include "core/plan/pull_cost.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <vector>

using namespace drawhitch;

namespace {

bool near(const std::optional<double>& a, double b) {
    return a && std::abs(*a - b) < 1e-9;
}

}  // namespace

TEST_CASE("time comes from the middle rate of earlier pulls, and money from time and bytes") {
    const std::vector<double> rates{50e6, 1e6, 20e6};
    const auto cost = plan::pull_cost(2'000'000'000, rates, {.egress_gb = 0.09, .price_hour = 3.6, .currency = "EUR"});
    CHECK(near(cost.seconds, 100));
    CHECK(near(cost.egress, 0.18));
    CHECK(near(cost.meter, 0.1));
    CHECK(plan::cost_line(cost) == "1.9 GiB, about 1 min 40 s, egress at most 0.18 EUR, the box meanwhile 0.10 EUR");
}

TEST_CASE("what nobody knows is left out of the plan of a pull") {
    auto cost = plan::pull_cost(1000, {}, {.price_hour = 2});
    CHECK(!cost.seconds);
    CHECK(!cost.egress);
    CHECK(!cost.meter);  // without a time there is no cost of it
    CHECK(plan::cost_line(cost) == "1000 B");
    const std::vector<double> useless{0, -1, std::nan("")};
    cost = plan::pull_cost(1000, useless, {.egress_gb = -1});
    CHECK(!cost.seconds);
    CHECK(!cost.egress);
    cost = plan::pull_cost(1000, std::vector<double>{1e-300}, {.egress_gb = 0, .price_hour = 1});
    CHECK(near(cost.egress, 0));
    CHECK(near(cost.seconds, 1e9));
}

TEST_CASE("a pull with nothing to fetch takes no time and no money") {
    const auto cost = plan::pull_cost(0, std::vector<double>{1e6}, {.egress_gb = 1, .price_hour = 1});
    CHECK(near(cost.seconds, 0));
    CHECK(plan::cost_line(cost) == "0 B");
}

TEST_CASE("a cost below a cent is told as such, and egress that is free is not told") {
    const auto cost = plan::pull_cost(1'000'000, std::vector<double>{1e6}, {.egress_gb = 0, .price_hour = 1});
    CHECK(plan::cost_line(cost) == "977 KiB, about 1 s, the box meanwhile less than 0.01 USD");
}

TEST_CASE("under a limit a pull is no faster than it allows, and its time is known without earlier ones") {
    const std::vector<double> rates{50e6};
    auto cost = plan::pull_cost(2'000'000'000, rates, {.price_hour = 3.6, .limit = 10e6});
    CHECK(near(cost.seconds, 200));
    CHECK(near(cost.meter, 0.2));
    CHECK(plan::cost_line(cost) == "1.9 GiB, about 3 min 20 s, at most 9.5 MiB/s, the box meanwhile 0.20 USD");
    CHECK(near(plan::pull_cost(2'000'000'000, rates, {.limit = 1e9}).seconds, 40));
    CHECK(near(plan::pull_cost(2'000'000'000, {}, {.limit = 1e9}).seconds, 2));
}
