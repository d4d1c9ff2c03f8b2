#include "flow/down/others.hpp"

#include "base/text.hpp"
#include "core/plan/script_text.hpp"
#include "flow/same_machine.hpp"
#include "io/ledger/ledger.hpp"
#include "io/transport/script.hpp"

namespace drawhitch::flow {

namespace {

constexpr milliseconds k_mark_patience{20'000};
// For all leases together that are asked over connections of their own: they are not the box that is to end, and one
// that is gone must not cost its whole patience. Who does not answer by then leaves its runs unknown.
constexpr milliseconds k_patience_elsewhere{5'000};

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

Result<std::vector<bool>> carry_marks(const Op& op, const std::vector<model::Lease>& leases,
                                      transport::Transport& transport) {
    std::vector<bool> carried(leases.size(), false);
    // The place of each answer: what a file holds cannot be taken for another's.
    std::string script;
    for (std::size_t i = 0; i < leases.size(); ++i) {
        if (leases[i].root.empty() || leases[i].root_nonce.empty()) continue;
        script += "printf '\\n%s ' " + std::to_string(i) + "; head -c 64 " +
                  plan::script_word(leases[i].root + "/lease-nonce") + " 2>/dev/null | tr -cd 0-9a-f\n";
    }
    if (script.empty()) return carried;
    TRY_ASSIGN(const transport::ScriptResult found,
               transport::run_script(op.within(k_mark_patience), transport, script + ":\n"));
    for (const std::string_view line : split(found.out, '\n')) {
        const std::size_t blank = line.find(' ');
        if (blank == std::string_view::npos) continue;
        for (std::size_t i = 0; i < leases.size(); ++i) {
            if (std::to_string(i) != line.substr(0, blank) || leases[i].root_nonce.empty()) continue;
            carried[i] = trim(line.substr(blank)) == leases[i].root_nonce;
        }
    }
    return carried;
}

Result<std::vector<OtherLease>> look_at_others(const Op& op, Deps& deps, const std::vector<LeaseBeside>& leases,
                                               transport::Transport& transport) {
    std::vector<OtherLease> others{};
    milliseconds patience = k_patience_elsewhere;
    std::vector<model::Lease> asked{};
    for (const LeaseBeside& beside : leases)
        asked.push_back(beside.lease);
    TRY_ASSIGN(const auto here, carry_marks(op, asked, transport));
    for (std::size_t i = 0; i < leases.size(); ++i) {
        if (!here[i]) continue;
        const auto& [lease, same_machine] = leases[i];
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
