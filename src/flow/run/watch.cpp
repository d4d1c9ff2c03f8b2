#include "flow/run/watch.hpp"

#include <algorithm>
#include <optional>

#include "base/random.hpp"
#include "base/retry.hpp"
#include "io/ledger/ledger.hpp"
#include "io/ledger/lock.hpp"

namespace drawhitch::flow {

namespace {

using model::VerdictKind;

constexpr milliseconds k_longest_pause{120'000};  // between two tries while the box does not answer

bool is_over(const RunView& view) {
    return model::is_terminal(view.verdict.kind) || view.verdict.kind == VerdictKind::done_but_up || view.never_began;
}

// Whether the look told something about a run that is waited for. A box that answers and knows nothing is waited for no
// longer than one that does not answer.
bool told_something(const RunsView& view) {
    return !view.unreachable && std::any_of(view.runs.begin(), view.runs.end(), [](const RunView& run) {
        return !is_over(run) && run.verdict.kind != VerdictKind::unknown;
    });
}

// "r1 RUNNING step 20/100, loss 1.9": what must differ for a look to count as a change.
std::string line_of(const RunView& view) {
    std::string line = view.run.spec.name + " " + std::string(model::name_of(view.verdict.kind));
    if (!view.verdict.progress.empty()) line += " " + view.verdict.progress;
    return line;
}

std::string lines_of(const RunsView& view) {
    std::string text;
    for (const RunView& run : view.runs)
        text += (text.empty() ? "" : "; ") + line_of(run);
    return text;
}

void beat(const Op& op, const model::Lease& lease, const RunsView& view) {
    Event event;
    event.kind = EventKind::heartbeat;
    event.text = lease.name + ": " + lines_of(view);
    if (view.unreachable) event.text += " (" + view.unreachable->message + ")";
    op.events.emit(event);
}

// Which runs a watch is about when none was named: those that had not ended when it began and those started since; with
// nothing to wait for, the newest one. How older runs ended says nothing about these.
class Subjects {
  public:
    explicit Subjects(const std::vector<model::Run>& runs) {
        for (const model::Run& run : runs) {
            newest_ = std::max(newest_, run.id);
            if (!model::is_terminal(run.verdict.kind)) ids_.push_back(run.id);
        }
        if (ids_.empty()) ids_.push_back(newest_);
    }

    void keep_only_these(RunsView& view) const {
        std::erase_if(view.runs, [&](const RunView& seen) {
            return seen.run.id <= newest_ && std::find(ids_.begin(), ids_.end(), seen.run.id) == ids_.end();
        });
    }

  private:
    std::vector<std::int64_t> ids_{};
    std::int64_t newest_{0};
};

}  // namespace

Result<RunsView> watch_runs(const Op& op, Deps& deps, const model::Lease& lease, const WatchOptions& options,
                            const WatchSink& sink) {
    std::optional<ledger::FileLock> lock;
    if (!options.once) {
        TRY_ASSIGN(lock, ledger::FileLock::watcher(op, deps.ledger.state_dir(), lease.id, "drawhitch watch"));
    }
    TRY_ASSIGN(const auto known, deps.ledger.runs(lease.id));
    const Subjects subjects{known};
    std::string before;
    int failures = 0;
    Instant last_answer = op.clock.now();
    for (;;) {
        TRY(op.check());
        TRY_ASSIGN(const model::Lease current, deps.ledger.lease(lease.id));
        TRY_ASSIGN(RunsView view, view_runs(op, deps, current, options.run, options.poll));
        if (options.run.empty()) subjects.keep_only_these(view);
        if (view.runs.empty()) {
            return Error{Code::not_found, lease.name + " has no runs"}.then("drawhitch help run");
        }
        const std::string now = lines_of(view);
        sink(view, now != before);
        if (now == before) beat(op, lease, view);
        before = now;
        if (options.once || std::all_of(view.runs.begin(), view.runs.end(), is_over)) return view;
        failures = view.unreachable ? failures + 1 : 0;
        if (told_something(view)) last_answer = op.clock.now();
        if (!options.until_done && op.clock.now() - last_answer > options.give_up) return view;
        const RetryPolicy policy{
            .max_attempts = 0, .base = options.every, .cap = std::max(options.every, k_longest_pause), .factor = 2.0};
        const milliseconds pause =
            failures == 0 ? options.every : next_delay(policy, failures, std::nullopt, random_u64());
        op.clock.sleep(op.left(pause), op.cancel);
    }
}

int exit_code_of(const std::vector<RunView>& runs) {
    bool failed = false;
    bool stalled = false;
    bool unknown = false;
    for (const RunView& run : runs) {
        switch (run.verdict.kind) {
            case VerdictKind::failed:
            case VerdictKind::artifacts_missing:
            case VerdictKind::preempted:
            case VerdictKind::lost_at_reboot:
                failed = true;
                break;
            case VerdictKind::stalled:
                stalled = true;
                break;
            case VerdictKind::unreachable:
            case VerdictKind::unknown:
                unknown = true;
                break;
            case VerdictKind::queued:
            case VerdictKind::starting:
            case VerdictKind::running:
            case VerdictKind::done:
            case VerdictKind::done_but_up:
                break;
        }
    }
    return failed ? 12 : stalled ? 13 : unknown ? 5 : 0;
}

}  // namespace drawhitch::flow
