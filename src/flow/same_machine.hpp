// Which other leases are about the machine of a lease, as far as the ledger can tell: by the keys it proved to have.
#pragma once

#include <vector>

#include "base/result.hpp"
#include "core/model/lease.hpp"

namespace drawhitch::ledger {
class Ledger;
}

namespace drawhitch::flow {

// Both this machine, or a pinned host key in common. Machines made from one image may share theirs.
Result<bool> same_machine(const ledger::Ledger& ledger, const model::Lease& one, const model::Lease& other);

// In words, for a run about to start: the other open leases of the machine, or of the same directory on its disk by
// whatever key, and their live runs. Empty: none.
Result<std::string> others_there(const ledger::Ledger& ledger, const model::Lease& lease);

}  // namespace drawhitch::flow
