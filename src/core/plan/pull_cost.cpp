#include "core/plan/pull_cost.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "base/text.hpp"
#include "base/time.hpp"
#include "core/plan/money.hpp"

namespace drawhitch::plan {

namespace {

constexpr double k_gigabyte = 1e9;
constexpr double k_hour = 3600;
constexpr double k_least_shown = 0.01;
constexpr double k_longest = 1e9;  // seconds; more is told as this

std::string cents(double amount, const std::string& currency) {
    return amount > 0 && amount < k_least_shown ? "less than " + money(k_least_shown, currency)
                                                : money(amount, currency);
}

}  // namespace

PullCost pull_cost(std::uint64_t bytes, std::span<const double> rates, const PullPrices& prices) {
    PullCost cost{.bytes = bytes, .currency = prices.currency, .limit = prices.limit};
    std::vector<double> known;
    for (const double rate : rates)
        if (std::isfinite(rate) && rate > 0) known.push_back(rate);
    if (!known.empty()) {
        const auto middle = known.begin() + static_cast<std::ptrdiff_t>(known.size() / 2);
        std::nth_element(known.begin(), middle, known.end());
        cost.seconds = std::min(static_cast<double>(bytes) / *middle, k_longest);
    }
    if (prices.limit && *prices.limit > 0) {
        const double limited = std::min(static_cast<double>(bytes) / *prices.limit, k_longest);
        cost.seconds = std::max(cost.seconds.value_or(0), limited);
    }
    if (prices.egress_gb && *prices.egress_gb >= 0)
        cost.egress = static_cast<double>(bytes) / k_gigabyte * *prices.egress_gb;
    if (cost.seconds && prices.price_hour) cost.meter = *cost.seconds / k_hour * *prices.price_hour;
    return cost;
}

std::string limit_words(double limit) {
    return "at most " + human_bytes(static_cast<std::uint64_t>(limit)) + "/s";
}

std::string cost_line(const PullCost& cost) {
    std::string line = human_bytes(cost.bytes);
    if (cost.bytes == 0) return line;
    if (cost.seconds) {
        const std::chrono::seconds whole{std::max<std::int64_t>(1, std::llround(*cost.seconds))};
        line += ", about " + human_duration(whole);
    }
    if (cost.limit) line += ", " + limit_words(*cost.limit);
    if (cost.egress && *cost.egress > 0) line += ", egress at most " + cents(*cost.egress, cost.currency);
    if (cost.meter) line += ", the box meanwhile " + cents(*cost.meter, cost.currency);
    return line;
}

}  // namespace drawhitch::plan
