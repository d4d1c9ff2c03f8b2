#include "cli/suggest.hpp"

#include <algorithm>
#include <vector>

namespace drawhitch::cli {

namespace {

// Edit distance with swaps of neighbours (optimal string alignment).
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i)
        cost[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j)
        cost[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
            cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + change});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
            }
        }
    }
    return cost[a.size()][b.size()];
}

constexpr std::size_t k_longest = 64;  // nobody meant a word this long

}  // namespace

std::optional<std::string> nearest(std::string_view typed, std::span<const std::string> candidates) {
    if (typed.empty() || typed.size() > k_longest) return std::nullopt;
    std::size_t best = std::max<std::size_t>(1, typed.size() / 3) + 1;
    std::optional<std::string> found;
    for (const std::string& candidate : candidates) {
        if (candidate.size() > k_longest) continue;
        const std::size_t steps = distance(typed, candidate);
        if (steps < best) {
            best = steps;
            found = candidate;
        }
    }
    if (found || typed.size() < 2) return found;
    const auto begins = std::ranges::find_if(candidates, [&](const std::string& c) { return c.starts_with(typed); });
    return begins == candidates.end() ? std::nullopt : std::optional{*begins};
}

}  // namespace drawhitch::cli
