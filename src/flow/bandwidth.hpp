// The limit that the user set for what a command moves, as flows see it.
#pragma once

#include <cstdint>
#include <optional>

#include "flow/deps.hpp"

namespace drawhitch::flow {

// How many connections a transfer may have: Connector::most_at_once, and under a limit no more than can be of use.
int most_connections(const Deps& deps, const model::Lease& lease);

// Bytes a second; nothing where there is no limit.
std::optional<std::uint64_t> bandwidth_of(const Deps& deps);

}  // namespace drawhitch::flow
