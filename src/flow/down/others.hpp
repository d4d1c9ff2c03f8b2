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

struct LeaseBeside {
    model::Lease lease{};
    bool same_machine{false};  // a host key in common, or both this machine: its processes are seen from here
};

// Open leases that may end with this one: those of its machine, and those whose mark may lie on its disk, for a disk
// can be reached by another key, by none, or from two machines. Errors are the ledger's.
Result<std::vector<LeaseBeside>> open_beside(const ledger::Ledger& ledger, const model::Lease& lease);

// Which of the leases have their mark under their root at the other end of `transport`; one script for all. Codes:
// those of run_script.
Result<std::vector<bool>> carry_marks(const Op& op, const std::vector<model::Lease>& leases,
                                      transport::Transport& transport);

// Those among them whose root is at the other end of `transport`: machines made from one image share their host key,
// but not the mark under the lease's root. Their runs are asked about over the same connection where it is the same
// machine; else over the lease's own, because only the machine that started a run knows whether it lives. Where that
// does not answer within a few seconds, for all such leases together, proven ends stay and nobody knows about the rest.
Result<std::vector<OtherLease>> look_at_others(const Op& op, Deps& deps, const std::vector<LeaseBeside>& leases,
                                               transport::Transport& transport);

}  // namespace drawhitch::flow
