// What a pull will take, before it begins: bytes, time, money. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace drawhitch::plan {

// What is known when a pull is planned. Prices are in `currency`.
struct PullPrices {
    std::optional<double> egress_gb{};   // for 10^9 bytes that leave the box; unknown where the profile does not say
    std::optional<double> price_hour{};  // of the box, which bills while it sends
    std::string currency{"USD"};
    std::optional<double> limit{};  // bytes a second that the user allows
};

struct PullCost {
    std::uint64_t bytes{0};           // raw; packed they are fewer
    std::optional<double> seconds{};  // as fast as earlier pulls of this lease; unknown where there was none
    std::optional<double> egress{};   // at most: raw bytes are counted
    std::optional<double> meter{};    // what the box costs meanwhile
    std::string currency{"USD"};
    std::optional<double> limit{};
};

// The middle one of `rates` (bytes a second, of earlier transfers) says how long it takes; rates that are no positive
// number say nothing. Under a limit it is no faster, and takes that long where nothing else is known.
PullCost pull_cost(std::uint64_t bytes, std::span<const double> rates, const PullPrices& prices);

// "1.2 GiB, about 3m 5s, egress at most 0.11 USD, the box meanwhile 0.12 USD"; what is unknown is left out, and so is
// egress that costs nothing. "0 B" where there is nothing to fetch.
std::string cost_line(const PullCost& cost);

// "at most 2.0 MiB/s".
std::string limit_words(double limit);

}  // namespace drawhitch::plan
