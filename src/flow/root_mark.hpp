// Whether a lease's mark was ever seen under its root: from then on a root without it is no new one. Kept in the ledger
// beside the lease; a lease that takes another mark begins anew.
#pragma once

#include "base/result.hpp"
#include "core/model/lease.hpp"

namespace drawhitch::ledger {
class Ledger;
}

namespace drawhitch::flow {

// Errors are the ledger's. A lease without a nonce was never marked.
Result<bool> root_was_marked(const ledger::Ledger& ledger, const model::Lease& lease);
// The lease's own nonce was written there, or read there.
Status note_root_mark(ledger::Ledger& ledger, const model::Lease& lease);

// Whether the mark was there before any lease of this ledger: another laptop's work, or a lost ledger's, may lie under
// the root.
Result<bool> root_was_inherited(const ledger::Ledger& ledger, const model::Lease& lease);
Status note_inherited_root(ledger::Ledger& ledger, const model::Lease& lease);

}  // namespace drawhitch::flow
