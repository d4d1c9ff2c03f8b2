#include "flow/bandwidth.hpp"

#include <algorithm>

#include "io/agent/throttle.hpp"

namespace drawhitch::flow {

namespace {

// Each has credit of its own that others cannot use, so many would be in one another's way. A connection does this much
// on any path.
constexpr std::uint64_t k_worth_a_connection = 2U << 20U;

}  // namespace

int most_connections(const Deps& deps, const model::Lease& lease) {
    const int most = deps.connector.most_at_once(lease);
    const auto limit = bandwidth_of(deps);
    if (!limit) return most;
    return static_cast<int>(
        std::min<std::uint64_t>(static_cast<std::uint64_t>(most), 1 + *limit / k_worth_a_connection));
}

std::optional<std::uint64_t> bandwidth_of(const Deps& deps) {
    return deps.throttle ? std::optional{deps.throttle->rate()} : std::nullopt;
}

}  // namespace drawhitch::flow
