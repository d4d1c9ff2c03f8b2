#include "flow/down/others.hpp"

#include "base/text.hpp"
#include "flow/same_machine.hpp"
#include "io/ledger/ledger.hpp"
#include "io/transport/script.hpp"

namespace drawhitch::flow {

namespace {

constexpr milliseconds k_mark_patience{20'000};

Result<bool> carries_mark(const Op& op, const model::Lease& lease, transport::Transport& transport) {
    if (lease.root.empty() || lease.root_nonce.empty()) return false;
    const std::string script = "head -c 64 " + shell_quote(lease.root + "/lease-nonce") + " 2>/dev/null || :";
    TRY_ASSIGN(const transport::ScriptResult found,
               transport::run_script(op.within(k_mark_patience), transport, script));
    return trim(found.out) == lease.root_nonce;
}

}  // namespace

Result<std::vector<model::Lease>> open_beside(const ledger::Ledger& ledger, const model::Lease& lease) {
    TRY_ASSIGN(const auto leases, ledger.leases(ledger::Which::open));
    std::vector<model::Lease> beside{};
    for (const model::Lease& other : leases) {
        if (other.id == lease.id) continue;
        TRY_ASSIGN(const bool same, same_machine(ledger, lease, other));
        if (same) beside.push_back(other);
    }
    return beside;
}

Result<std::vector<OtherLease>> look_at_others(const Op& op, Deps& deps, const std::vector<model::Lease>& leases,
                                               transport::Transport& transport) {
    std::vector<OtherLease> others{};
    for (const model::Lease& lease : leases) {
        TRY_ASSIGN(const bool here, carries_mark(op, lease, transport));
        if (!here) continue;
        OtherLease other{lease, {}, true};
        TRY_ASSIGN(const auto runs, deps.ledger.runs(lease.id));
        if (!runs.empty()) {
            TRY_ASSIGN(other.views, poll_runs(op, deps, lease, runs, {.over = &transport}));
            other.runs_known = other.views.size() == runs.size();
        }
        others.push_back(std::move(other));
    }
    return others;
}

}  // namespace drawhitch::flow
