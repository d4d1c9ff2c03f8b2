// The other open leases of the machine that a verb ends: who ends it for one ends it for all. Reads only, but for the
// verdicts of their runs. Private to flow/down.
#pragma once

#include <vector>

#include "flow/run/poll.hpp"

namespace drawhitch::flow {

struct OtherLease {
    model::Lease lease{};
    std::vector<RunView> views{};
    bool runs_known{false};  // `views` has every run of it
};

// Open leases whose machine has a host key in common with this one's. Errors are the ledger's.
Result<std::vector<model::Lease>> open_beside(const ledger::Ledger& ledger, const model::Lease& lease);

// Those among them that are on the machine at the other end of `transport`: machines made from one image share their
// host key, but not the mark under the lease's root. Their runs are asked about over the same connection.
Result<std::vector<OtherLease>> look_at_others(const Op& op, Deps& deps, const std::vector<model::Lease>& leases,
                                               transport::Transport& transport);

}  // namespace drawhitch::flow
