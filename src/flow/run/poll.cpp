#include "flow/run/poll.hpp"

#include <algorithm>

#include "base/random.hpp"
#include "base/text.hpp"
#include "core/exchange/run_json.hpp"
#include "core/judge/run_verdict.hpp"
#include "core/parse/framed.hpp"
#include "core/parse/progress.hpp"
#include "core/parse/run_probe.hpp"
#include "core/plan/probe_script.hpp"
#include "flow/run/claim.hpp"
#include "io/ledger/ledger.hpp"
#include "io/transport/script.hpp"

namespace drawhitch::flow {

namespace {

std::string history_key(const model::Run& run) {
    return "run." + std::to_string(run.id) + "." + std::to_string(run.attempt);
}

std::string progress_key(const model::Run& run) {
    return "progress." + std::to_string(run.id) + "." + std::to_string(run.attempt);
}

// A verdict is recorded when it changes; how far the job is changes with every look.
Status remember_progress(Deps& deps, const model::Run& run, const std::string& progress, WallTime now) {
    if (progress.empty()) return ok();
    TRY_ASSIGN(const KnownProgress known, known_progress(deps.ledger, run));
    if (known.text == progress) return ok();
    return deps.ledger.set_note(run.lease, progress_key(run), std::to_string(now.seconds) + " " + progress);
}

Result<model::RunHistory> load_history(const Deps& deps, const model::Run& run) {
    TRY_ASSIGN(const auto note, deps.ledger.note(run.lease, history_key(run)));
    return note ? exchange::history_of(*note) : model::RunHistory{};
}

// This attempt's part of the log bytes that came: an older attempt's markers say nothing about this one.
void read_progress(model::RunFacts& facts) {
    if (!facts.start) return;
    const std::int64_t begin = std::max(facts.log_from, facts.start->log_offset);
    const auto skip = static_cast<std::size_t>(begin - facts.log_from);
    if (skip >= facts.log_bytes.size()) return;
    facts.progress = parse::progress(std::string_view(facts.log_bytes).substr(skip), begin > facts.start->log_offset);
}

bool says_the_same(const model::Verdict& a, const model::Verdict& b) {
    return a.kind == b.kind && a.exit_code == b.exit_code && a.signal == b.signal && a.cause == b.cause;
}

struct Histories {
    const model::RunHistory& before;
    const model::RunHistory& after;
};

Status remember(Deps& deps, RunView& view, const Histories& histories, WallTime now) {
    const auto& [before, after] = histories;
    model::Run& run = view.run;
    if (const auto& start = view.facts->start; start && start->attempt == run.attempt) {
        const model::RunIdentity identity{start->pid, start->pgid, start->start_ticks, start->boot_id};
        if (identity.pid != run.identity.pid || identity.start_ticks != run.identity.start_ticks) {
            TRY(deps.ledger.record_identity(run.id, identity));
            run.identity = identity;
        }
    }
    if (after != before) TRY(deps.ledger.set_note(run.lease, history_key(run), exchange::history_json(after)));
    TRY(remember_progress(deps, run, view.verdict.progress, now));
    // A proven end stays, with the cause that was known then; only another proven end may take its place.
    const bool ended = model::is_terminal(run.verdict.kind);
    if (ended && (!model::is_terminal(view.verdict.kind) || run.verdict.kind == view.verdict.kind)) {
        view.verdict = run.verdict;
        return ok();
    }
    if (says_the_same(run.verdict, view.verdict)) return ok();
    TRY(deps.ledger.record_verdict(run.id, view.verdict));
    run.verdict = view.verdict;
    return ok();
}

// What is asked about, and what is known of it already.
struct Question {
    const std::vector<model::Run>& runs;
    const std::vector<model::RunHistory>& histories;
};

Result<model::PollFacts> probe(const Op& op, transport::Transport& transport, const model::Lease& lease,
                               const Question& question) {
    const auto& [runs, histories] = question;
    plan::ProbeSpec spec;
    spec.nonce = random_hex(8);
    spec.root = lease.root;
    std::vector<parse::AskedRun> asked;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        spec.runs.push_back({runs[i].spec.name, runs[i].spec.roster, histories[i].log_size});
        asked.push_back({runs[i].spec.name, runs[i].spec.roster.size()});
    }
    const transport::ScriptLimits limits{.out_bytes = (1U << 20U) + runs.size() * (128U << 10U)};
    TRY_ASSIGN(const auto answer, transport::run_script(op, transport, plan::probe_script(spec), {}, limits));
    return parse::run_probe(answer.out, spec.nonce, asked);
}

// One whole answer, or an Error. `op` is the caller's, without the look's own deadline: it tells whose time was up.
Result<model::PollFacts> look(const Op& limited, const Op& op, transport::Transport& transport,
                              const model::Lease& lease, const Question& question) {
    auto facts = probe(limited, transport, lease, question);
    if (!facts && facts.error().code == Code::deadline && op.check()) {
        return Error{Code::timed_out, Retry::reconnect,
                     lease.name + " took the connection, but did not answer in time"};
    }
    if (facts && (facts->runs.size() != question.runs.size() || !facts->complete)) {
        return Error{Code::protocol, Retry::reconnect, "the answer of " + lease.name + " was cut short"};
    }
    return facts;
}

struct Subject {
    model::Run run{};
    const model::RunHistory& history;
    const PollOptions& options;
};

// What another laptop's run is doing is nothing that may be recorded or signalled as ours.
void forget_processes(model::RunFacts& facts) {
    facts.start.reset();
    facts.exit.reset();
    facts.members.clear();
    facts.carriers.clear();
}

// A claim under which the box has nothing that began. While its launch is at work that is a start; after it, for good.
bool settle_unbegun(const Subject& subject, const model::RunFacts& facts, model::Verdict& verdict, WallTime now) {
    const bool looked =
        facts.directory == model::RunDirectory::present || facts.directory == model::RunDirectory::absent;
    const bool nothing = looked && !facts.start && !facts.exit && !facts.attempted && !facts.unreadable_record;
    if (verdict.kind != model::VerdictKind::unknown || !nothing || !awaits_its_start(subject.run)) return false;
    if (launch_is_under_way(subject.run, now)) {
        verdict.kind = model::VerdictKind::starting;
        verdict.cause.clear();
        verdict.evidence.push_back("its launch is at work here: pid " +
                                   std::to_string(subject.run.spec.started_by_pid));
        return false;
    }
    verdict.evidence.push_back(verdict.cause);
    verdict.cause = "its launch was interrupted before it began";
    return true;
}

Result<RunView> judge_and_remember(const Op& op, Deps& deps, model::PollFacts& facts, std::size_t index,
                                   Subject subject) {
    judge::RunPolicy policy;
    policy.attempt = subject.run.attempt;
    policy.roster = subject.run.spec.roster;
    if (awaits_its_start(subject.run)) {
        TRY_ASSIGN(policy.token, known_token(deps.ledger, subject.run.lease, subject.run.spec.name));
    }
    policy.stall_after = subject.options.stall_after;
    auto judged = judge::judge_run(facts, facts.runs[index], subject.history, policy, op.clock.wall());
    const bool foreign = judge::is_foreign(facts.runs[index], policy.token);
    const bool never_began = !foreign && settle_unbegun(subject, facts.runs[index], judged.verdict, op.clock.wall());
    if (foreign) forget_processes(facts.runs[index]);
    RunView view{std::move(subject.run), std::move(judged.verdict), std::move(facts.runs[index]),
                 foreign || never_began};
    TRY(remember(deps, view, {subject.history, judged.history}, op.clock.wall()));
    return view;
}

// The newest few, for people who mistyped one.
std::string names_of(const std::vector<model::Run>& runs) {
    constexpr std::size_t k_shown = 5;
    std::vector<std::string> names;
    for (auto run = runs.rbegin(); run != runs.rend() && names.size() < k_shown; ++run)
        names.push_back(run->spec.name);
    if (names.empty()) return "it has no runs";
    return (runs.size() > k_shown ? "its newest runs are " : "its runs are ") + join(names, ", ");
}

}  // namespace

Result<KnownProgress> known_progress(const ledger::Ledger& ledger, const model::Run& run) {
    TRY_ASSIGN(const auto note, ledger.note(run.lease, progress_key(run)));
    const std::size_t blank = note ? note->find(' ') : std::string::npos;
    const auto at =
        blank == std::string::npos ? std::nullopt : parse::whole_number(std::string_view{*note}.substr(0, blank));
    if (!at || *at > parse::k_latest_time) return KnownProgress{run.verdict.progress, std::nullopt};
    return KnownProgress{note->substr(blank + 1), WallTime{static_cast<std::int64_t>(*at), 0}};
}

bool is_unreachable(const Error& error) {
    switch (error.code) {
        case Code::dns:
        case Code::refused:
        case Code::connect_timeout:
        case Code::no_banner:
        case Code::shell_missing:
        case Code::limits:
        case Code::link_lost:
        case Code::stalled:
        case Code::timed_out:
        case Code::protocol:
            return true;
        case Code::usage:
        case Code::config:
        case Code::not_trusted:
        case Code::not_found:
        case Code::exists:
        case Code::host_key:
        case Code::auth:
        case Code::key_permissions:
        case Code::key_unusable:
        case Code::noexec:
        case Code::remote_failed:
        case Code::changed:
        case Code::unsafe_path:
        case Code::permission:
        case Code::no_space:
        case Code::no_inodes:
        case Code::read_only:
        case Code::integrity:
        case Code::gate_closed:
        case Code::skipped:
        case Code::unhealthy:
        case Code::provider:
        case Code::unconfirmed:
        case Code::job_failed:
        case Code::job_stalled:
        case Code::local_io:
        case Code::ledger:
        case Code::locked:
        case Code::deadline:
        case Code::cancelled:
        case Code::internal:
            return false;
    }
    return false;
}

bool is_refused(const Error& error) {
    return never_connected(error) && !is_unreachable(error);
}

Result<std::vector<RunView>> poll_runs(const Op& op, Deps& deps, const model::Lease& lease,
                                       std::vector<model::Run> runs, const PollOptions& options) {
    std::vector<model::RunHistory> histories;
    for (const model::Run& run : runs) {
        TRY_ASSIGN(auto history, load_history(deps, run));
        histories.push_back(history);
    }
    std::unique_ptr<transport::Transport> own;
    if (options.over == nullptr) {
        TRY_ASSIGN(own, deps.connector.to(op, lease));
    }
    transport::Transport& transport = options.over != nullptr ? *options.over : *own;
    TRY_ASSIGN(model::PollFacts facts, look(op.within(options.patience), op, transport, lease, {runs, histories}));
    if (lease.state != model::LeaseState::closed) TRY(deps.ledger.contact(lease.id));
    std::vector<RunView> views;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        read_progress(facts.runs[i]);
        TRY_ASSIGN(auto view, judge_and_remember(op, deps, facts, i, {std::move(runs[i]), histories[i], options}));
        views.push_back(std::move(view));
    }
    return views;
}

std::vector<RunView> unreachable_runs(const model::Lease& lease, std::vector<model::Run> runs, const Error& error) {
    std::vector<RunView> views;
    std::optional<WallTime> contact;
    if (lease.last_contact.seconds != 0) contact = lease.last_contact;
    for (model::Run& run : runs) {
        auto verdict = judge::judge_unreachable(run.verdict, contact, error.message);
        views.push_back({std::move(run), std::move(verdict), {}});
    }
    return views;
}

Result<RunsView> view_runs(const Op& op, Deps& deps, const model::Lease& lease, const std::string& name,
                           const PollOptions& options) {
    TRY_ASSIGN(auto runs, deps.ledger.runs(lease.id));
    if (!name.empty()) {
        const std::string names = names_of(runs);
        std::erase_if(runs, [&](const model::Run& run) { return run.spec.name != name; });
        if (runs.empty()) {
            return Error{Code::not_found, lease.name + " has no run called " + printable(name)}.because(names).then(
                "drawhitch ps " + lease.name);
        }
    }
    std::vector<model::Run> live;
    for (model::Run& run : runs) {
        if (model::is_terminal(run.verdict.kind)) continue;
        TRY_ASSIGN(const KnownProgress known, known_progress(deps.ledger, run));
        run.verdict.progress = known.text;
        live.push_back(run);
    }
    RunsView result;
    std::vector<RunView> polled;
    if (!live.empty() || options.always) {
        auto answer = poll_runs(op, deps, lease, live, options);
        if (answer) {
            polled = std::move(answer).value();
        } else if (is_unreachable(answer.error())) {
            result.unreachable = answer.error();
            polled = unreachable_runs(lease, live, answer.error());
        } else if (options.always && is_refused(answer.error())) {
            result.refused = answer.error();
            polled = unreachable_runs(lease, live, answer.error());
        } else {
            return std::move(answer).error();
        }
    }
    for (model::Run& run : runs) {
        const auto at =
            std::find_if(polled.begin(), polled.end(), [&](const RunView& v) { return v.run.id == run.id; });
        if (at != polled.end()) {
            result.runs.push_back(std::move(*at));
        } else {
            result.runs.push_back({run, run.verdict, {}});
        }
    }
    return result;
}

}  // namespace drawhitch::flow
