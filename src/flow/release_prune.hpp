// prune_releases: removes old releases after a push. A directory that holds anything but what was deployed stays, and
// is told; so what a push set aside is told again until somebody took it.
#pragma once

#include <cstdint>
#include <string>

#include "flow/push.hpp"
#include "flow/transfer/link.hpp"

namespace drawhitch::ledger {
class Ledger;
}

namespace drawhitch::flow {

// The ledger knows by these which releases a lease's pushes made.
std::string release_note(const std::string& hash);

// Fills in `pruned` and `kept` of the report, whose hash is in force.
Status prune_releases(const Op& op, ledger::Ledger& ledger, const model::Lease& lease, Link& link, PushReport& report);

}  // namespace drawhitch::flow
