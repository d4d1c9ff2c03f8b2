// Whether a run that says it is done has anything to show for it. The one answer for everybody who tells what would be
// lost: the gate, which has looked at the box, and the overview, which knows only the ledger. Pure.
#pragma once

#include "core/model/roster.hpp"
#include "core/model/run.hpp"

namespace drawhitch::judge {

// True for a run that ended well, whose roster names what must be there, and of which nothing that must be there was
// found (`found`: on the box, or in a receipt). Its patterns may be wrong, and its results elsewhere. A run that failed
// says by its verdict that it may have left nothing.
bool left_nothing(const model::Roster& roster, model::VerdictKind verdict, bool found);

}  // namespace drawhitch::judge
