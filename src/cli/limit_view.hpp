// How the limit of a transfer is shown in its plan.
#pragma once

#include <cstdint>
#include <string>

#include "flow/deps.hpp"
#include "io/term/json.hpp"

namespace drawhitch::cli {

// ", at most 2.0 MiB/s: 3m 5s if all of it goes"; empty where there is no limit.
std::string limited(const flow::Deps& deps, std::uint64_t bytes);
// Bytes a second; null where there is no limit.
term::Json limit_json(const flow::Deps& deps);

}  // namespace drawhitch::cli
