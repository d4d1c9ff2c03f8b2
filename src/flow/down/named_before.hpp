// Names given to `down` that were at stake once: told by an earlier look whose gate was closed (a dry run's, too), or
// known to the ledger as a run's, a receipt's or a copy's place. A retry with yesterday's list is no slip of the pen.
// Reads and writes the ledger.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "core/model/lease.hpp"
#include "core/model/run.hpp"

namespace drawhitch::ledger {
class Ledger;
}

namespace drawhitch::flow {

// Keeps what a closed gate told, with what earlier ones told; the oldest are forgotten first.
Status remember_named(ledger::Ledger& ledger, std::int64_t lease, const std::vector<std::string>& told);

// Those of the names (clean paths, runs, rules) that were at stake once.
Result<std::vector<std::string>> named_before(const ledger::Ledger& ledger, const model::Lease& lease,
                                              const std::vector<model::Run>& runs,
                                              const std::vector<std::string>& names);

}  // namespace drawhitch::flow
