#include "flow/down/others.hpp"

#include "base/text.hpp"
#include "flow/same_machine.hpp"
#include "io/ledger/ledger.hpp"
#include "io/transport/script.hpp"

namespace drawhitch::flow {

namespace {

constexpr milliseconds k_mark_patience{20'000};
// For all leases together that are asked over connections of their own: they are not the box that is to end, and one
// that is gone must not cost its whole patience. Who does not answer by then leaves its runs unknown.
constexpr milliseconds k_patience_elsewhere{5'000};

Result<bool> carries_mark(const Op& op, const model::Lease& lease, transport::Transport& transport) {
    if (lease.root.empty() || lease.root_nonce.empty()) return false;
    const std::string script = "head -c 64 " + shell_quote(lease.root + "/lease-nonce") + " 2>/dev/null || :";
    TRY_ASSIGN(const transport::ScriptResult found,
               transport::run_script(op.within(k_mark_patience), transport, script));
    return trim(found.out) == lease.root_nonce;
}

// Over the lease's own connection, which may be to another machine.
Result<std::vector<RunView>> ask_elsewhere(const Op& op, Deps& deps, const model::Lease& lease,
                                           const std::vector<model::Run>& runs, milliseconds patience) {
    if (patience <= milliseconds{0}) {
        const Error not_asked{Code::timed_out, lease.name + " was not asked: others did not answer in time"};
        return unreachable_runs(lease, runs, not_asked);
    }
    auto views = poll_runs(op, deps, lease, runs, {.patience = patience});
    if (views) return views;
    Error error = std::move(views).error();
    if (!is_unreachable(error) && !is_refused(error)) return error;
    if (error.code == Code::timed_out) error.message = lease.name + " did not answer within a few seconds";
    return unreachable_runs(lease, runs, error);
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
    milliseconds patience = k_patience_elsewhere;
    for (const auto& [lease, same_machine] : leases) {
        TRY_ASSIGN(const bool here, carries_mark(op, lease, transport));
        if (!here) continue;
        OtherLease other{lease, {}, true};
        TRY_ASSIGN(const auto runs, deps.ledger.runs(lease.id));
        if (!runs.empty()) {
            const Instant before = op.clock.now();
            auto views = same_machine ? poll_runs(op, deps, lease, runs, {.over = &transport})
                                      : ask_elsewhere(op, deps, lease, runs, patience);
            if (!same_machine) patience -= std::chrono::ceil<milliseconds>(op.clock.now() - before);
            if (!views) return std::move(views).error();
            other.views = std::move(*views);
            other.runs_known = other.views.size() == runs.size();
        }
        others.push_back(std::move(other));
    }
    return others;
}

}  // namespace drawhitch::flow
