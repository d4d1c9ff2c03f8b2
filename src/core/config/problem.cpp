#include "core/config/problem.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace drawhitch::config {

namespace {

// Edits (insert, delete, replace, swap of neighbours) that turn one word into the other. Words longer than a key can
// sensibly be are not compared.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    constexpr std::size_t k_longest = 64;
    if (a.size() > k_longest || b.size() > k_longest) return k_longest;
    std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1, 0));
    for (std::size_t i = 0; i <= a.size(); ++i)
        cost[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j)
        cost[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
        }
    }
    return cost[a.size()][b.size()];
}

}  // namespace

std::string Problem::text() const {
    std::string shown = printable(file);
    if (at.line > 0) shown += ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
    return shown + ": " + message;
}

void Log::sort() {
    const auto earlier = [](const Problem& a, const Problem& b) {
        return a.at.line != b.at.line ? a.at.line < b.at.line : a.at.column < b.at.column;
    };
    std::stable_sort(problems.begin(), problems.end(), earlier);
    std::stable_sort(warnings.begin(), warnings.end(), earlier);
}

Error problems_error(const std::vector<Problem>& problems) {
    if (problems.empty()) return Error{Code::internal, "problems_error without problems"};
    if (problems.size() == 1) return Error{Code::config, problems.front().text()};
    std::vector<std::string> lines;
    for (const Problem& problem : problems)
        lines.push_back(problem.text());
    return Error{Code::config,
                 printable(problems.front().file) + " has " + std::to_string(problems.size()) + " problems"}
        .because(join(lines, "\n"));
}

std::string_view closest_word(std::string_view typed, const std::vector<std::string_view>& candidates) {
    std::string_view best;
    std::size_t best_distance = typed.size() / 3 + 2;  // a third of the letters may be wrong
    for (std::string_view candidate : candidates) {
        const std::size_t distance = edit_distance(typed, candidate);
        if (distance >= best_distance || distance >= candidate.size()) continue;
        best = candidate;
        best_distance = distance;
    }
    return best;
}

std::string did_you_mean(std::string_view typed, const std::vector<std::string_view>& candidates) {
    const std::string_view word = closest_word(typed, candidates);
    return word.empty() ? "" : ", did you mean '" + std::string(word) + "'?";
}

}  // namespace drawhitch::config
