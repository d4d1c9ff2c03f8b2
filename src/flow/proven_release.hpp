// proven_release: which code is in force on a box, for a run that pushes none. Reads only.
#pragma once

#include <string>

#include "flow/deps.hpp"

namespace drawhitch::flow {

// The hash that `current` names, once the box has hashed that release to the same value. Code::integrity, with the
// files, when it was changed since it was pushed; Code::not_found when nothing was pushed yet. Connects, and connects
// again if a connection breaks.
Result<std::string> proven_release(const Op& op, Deps& deps, const model::Lease& lease);

}  // namespace drawhitch::flow
