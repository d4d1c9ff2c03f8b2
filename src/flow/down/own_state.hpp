// Our own small files on a box, read: what lies under the name of one and holds something else is no file of ours.
// Private to flow/down.
#pragma once

#include "base/op.hpp"
#include "core/judge/undeclared.hpp"
#include "flow/down/roots.hpp"

namespace drawhitch::flow {

// Reads every file of `undeclared.own_state()`, many at a time, and disowns those that do not hold what we write there
// or cannot be read. Codes: those that end the whole look.
Status check_own_state(const Op& op, BoxRoots& roots, judge::Undeclared& undeclared);

}  // namespace drawhitch::flow
