#include "cli/limit_view.hpp"

#include <chrono>

#include "base/text.hpp"
#include "core/plan/pull_cost.hpp"
#include "flow/bandwidth.hpp"

namespace drawhitch::cli {

std::string limited(const flow::Deps& deps, std::uint64_t bytes) {
    const auto limit = flow::bandwidth_of(deps);
    if (!limit) return {};
    const std::uint64_t seconds = bytes / *limit + (bytes % *limit == 0 ? 0 : 1);
    return ", " + plan::limit_words(static_cast<double>(*limit)) + ": " +
           human_duration(std::chrono::seconds{seconds}) + " if all of it goes";
}

term::Json limit_json(const flow::Deps& deps) {
    const auto limit = flow::bandwidth_of(deps);
    return limit ? term::Json{*limit} : term::Json{};
}

}  // namespace drawhitch::cli
