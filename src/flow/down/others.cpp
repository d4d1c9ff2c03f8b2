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

Result<std::vector<LeaseBeside>> open_beside(const ledger::Ledger& ledger, const model::Lease& lease) {
    TRY_ASSIGN(const auto leases, ledger.leases(ledger::Which::open));
    std::vector<LeaseBeside> beside{};
    for (const model::Lease& other : leases) {
        if (other.id == lease.id) continue;
        TRY_ASSIGN(const bool same, same_machine(ledger, lease, other));
        if (same || !other.root_nonce.empty()) beside.push_back({other, same});
    }
    return beside;
}

Result<std::vector<OtherLease>> look_at_others(const Op& op, Deps& deps, const std::vector<LeaseBeside>& leases,
                                               transport::Transport& transport) {
    std::vector<OtherLease> others{};
    for (const auto& [lease, same_machine] : leases) {
        TRY_ASSIGN(const bool here, carries_mark(op, lease, transport));
        if (!here) continue;
        OtherLease other{lease, {}, true};
        TRY_ASSIGN(const auto runs, deps.ledger.runs(lease.id));
        if (!runs.empty()) {
            auto views = poll_runs(op, deps, lease, runs, {.over = same_machine ? &transport : nullptr});
            if (!views && !same_machine && (is_unreachable(views.error()) || is_refused(views.error())))
                views = unreachable_runs(lease, runs, views.error());
            if (!views) return std::move(views).error();
            other.views = std::move(*views);
            other.runs_known = other.views.size() == runs.size();
        }
        others.push_back(std::move(other));
    }
    return others;
}

}  // namespace drawhitch::flow
