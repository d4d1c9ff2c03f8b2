#include "flow/run/stop.hpp"

#include <algorithm>

#include "base/random.hpp"
#include "base/text.hpp"
#include "core/judge/run_verdict.hpp"
#include "core/parse/framed.hpp"
#include "core/plan/launch_scripts.hpp"
#include "flow/run/claim.hpp"
#include "io/ledger/ledger.hpp"
#include "io/ledger/lock.hpp"
#include "io/transport/script.hpp"

namespace drawhitch::flow {

namespace {

using model::VerdictKind;

constexpr milliseconds k_pause{500};              // between two looks while waiting for the end
constexpr std::chrono::seconds k_after_kill{10};  // KILL takes effect at once, unless the kernel cannot
constexpr milliseconds k_signal_patience{20'000};

// One stop, from the first look to the last.
class Stop {
  public:
    Stop(const Op& op, Deps& deps, const model::Lease& lease, const StopOptions& options)
        : op_(op), deps_(deps), lease_(lease), options_(options) {}

    Result<StopReport> go();

  private:
    Status look();
    Result<std::string> send(plan::StopKind kind, const std::string& signal);
    Result<bool> wait_for_end(std::chrono::seconds most);
    Status end_group();
    Status end_strays();
    Status abandon();
    Status name_the_stop();

    const Op& op_;
    Deps& deps_;
    const model::Lease& lease_;
    const StopOptions& options_;
    StopReport report_{};
    std::string token_{};
};

// Each look is a connection of its own: a channel that the job's death took with it proves nothing.
Status Stop::look() {
    TRY_ASSIGN(auto views, poll_runs(op_, deps_, lease_, {report_.view.run}));
    report_.view = std::move(views.front());
    if (report_.view.facts && report_.view.facts->start) token_ = report_.view.facts->start->token;
    report_.strays = report_.view.facts ? judge::strays(*report_.view.facts) : std::vector<std::int64_t>{};
    return ok();
}

Result<std::string> Stop::send(plan::StopKind kind, const std::string& signal) {
    plan::StopSpec spec;
    spec.nonce = random_hex(8);
    spec.kind = kind;
    spec.run_dir = report_.view.run.spec.run_dir;
    spec.attempt = report_.view.run.attempt;
    spec.identity = report_.view.run.identity;
    spec.token = token_;
    spec.signal = signal;
    spec.strays = report_.strays;
    TRY_ASSIGN(const auto transport, deps_.connector.to(op_, lease_));
    auto answer = transport::run_script(op_.within(k_signal_patience), *transport, plan::stop_script(spec));
    report_.signal = signal;
    // A job may take the very session down that stops it. What became of it is seen by the next look.
    if (!answer && is_unreachable(answer.error())) return std::string("lost");
    if (!answer) return std::move(answer).error();
    const auto sections = parse::framed(answer->out, spec.nonce);
    const parse::Section* section = sections.find("stop");
    if (section == nullptr) return std::string("lost");
    return std::string(parse::value_of(section->body, "stop").value_or("lost"));
}

bool group_lives(const RunView& view) {
    if (!view.facts) return true;
    const auto all = judge::living_processes(*view.facts);
    return all.size() > judge::strays(*view.facts).size();
}

// True when the recorded group is gone and the wrapper had its last word.
Result<bool> Stop::wait_for_end(std::chrono::seconds most) {
    const Instant limit = op_.clock.now() + most;
    for (;;) {
        const Status looked = look();
        if (!looked && !is_unreachable(looked.error())) return looked.error();
        const bool over = looked && !group_lives(report_.view) && report_.view.verdict.kind != VerdictKind::running;
        if (over) return true;
        if (op_.clock.now() >= limit) {
            if (looked) return false;
            return Error{Code::unconfirmed, report_.signal + " was sent to run " + report_.view.run.spec.name +
                                                ", but nobody could see what came of it: " + looked.error().message}
                .then("drawhitch ps " + lease_.name);
        }
        TRY(op_.check());
        op_.clock.sleep(k_pause, op_.cancel);
    }
}

Status Stop::end_group() {
    for (const auto& [signal, patience] :
         {std::pair{"TERM", options_.grace}, std::pair{"KILL", std::chrono::seconds(k_after_kill)}}) {
        TRY_ASSIGN(const std::string answer, send(plan::StopKind::group, signal));
        if (answer == "failed") {
            return Error{Code::permission, "the box refused to signal run " + report_.view.run.spec.name}.because(
                "its processes belong to another user by now (sudo?)");
        }
        op_.debug(std::string(signal) + " to group " + std::to_string(report_.view.run.identity.pgid) + ": " + answer);
        TRY_ASSIGN(const bool over, wait_for_end(patience));
        if (over) return ok();
    }
    std::string states;
    if (report_.view.facts) {
        for (const auto& member : report_.view.facts->members)
            states += " pid " + std::to_string(member.pid) + " in state " + member.state;
    }
    return Error{Code::remote_failed, "run " + report_.view.run.spec.name + " cannot be killed"}
        .because("left:" + states +
                 "; a process in state D waits inside the kernel, and only a restart of the box ends it")
        .then("drawhitch doctor " + lease_.name);
}

Status Stop::end_strays() {
    for (const char* signal : {"TERM", "KILL"}) {
        if (report_.strays.empty()) return ok();
        TRY(send(plan::StopKind::strays, signal));
        const Instant limit = op_.clock.now() + std::min(options_.grace, k_after_kill);
        do {
            op_.clock.sleep(k_pause, op_.cancel);
            TRY(op_.check());
            TRY(look());
        } while (!report_.strays.empty() && op_.clock.now() < limit);
    }
    return ok();
}

Status Stop::abandon() {
    TRY_ASSIGN(token_, known_token(deps_.ledger, lease_.id, options_.run));
    TRY_ASSIGN(const std::string answer, send(plan::StopKind::abandon, ""));
    if (answer == "foreign") {
        TRY(deps_.ledger.drop_claim(report_.view.run.id, "the name is another laptop's on the box"));
        report_.view.verdict.kind = VerdictKind::failed;
        report_.view.verdict.cause = "the claim was given up; the run of this name on the box is another laptop's";
        report_.had_ended = true;
        return ok();
    }
    TRY(look());
    if (answer == "abandoned" || model::is_terminal(report_.view.verdict.kind)) return ok();
    return Error{Code::unconfirmed, "run " + report_.view.run.spec.name + " was being started at the same moment"}.then(
        "drawhitch stop-run " + lease_.name + " " + report_.view.run.spec.name);
}

// The record says which signal ended it; that it was ours, only we know.
Status Stop::name_the_stop() {
    model::Verdict& verdict = report_.view.verdict;
    if (verdict.kind != VerdictKind::failed || (verdict.signal != "TERM" && verdict.signal != "KILL")) return ok();
    verdict.cause = "stopped by drawhitch";
    report_.view.run.verdict = verdict;
    return deps_.ledger.record_verdict(report_.view.run.id, verdict);
}

Result<StopReport> Stop::go() {
    TRY_ASSIGN(report_.view.run, deps_.ledger.run_by_name(lease_.id, options_.run));
    report_.view.verdict = report_.view.run.verdict;
    const bool ended = model::is_terminal(report_.view.run.verdict.kind);
    const Status looked = look();
    if (!looked && (!ended || options_.strays)) return looked.error();
    if (!looked && !is_unreachable(looked.error()) && !is_refused(looked.error())) return looked.error();
    if (!looked) report_.not_asked = looked.error();
    if (!looked || (ended && !options_.strays && !group_lives(report_.view))) {
        report_.had_ended = true;
        return report_;
    }
    const model::RunFacts& facts = *report_.view.facts;
    const bool never_there = facts.directory == model::RunDirectory::absent && awaits_its_start(report_.view.run);
    const bool unstarted =
        !facts.start && !facts.exit && (facts.directory == model::RunDirectory::present || never_there);
    if (unstarted) {
        TRY(abandon());
        return report_;
    }
    if (!facts.start && !facts.exit) {
        return Error{Code::unconfirmed, "nothing can be said about run " + options_.run + " of " + lease_.name + ": " +
                                            report_.view.verdict.cause}
            .then("drawhitch doctor " + lease_.name);
    }
    if (group_lives(report_.view)) {
        TRY(end_group());
        TRY(name_the_stop());
    } else {
        report_.had_ended = true;
    }
    if (options_.strays) TRY(end_strays());
    return report_;
}

}  // namespace

Result<StopReport> stop_run(const Op& op, Deps& deps, const model::Lease& lease, const StopOptions& options) {
    TRY_ASSIGN(const auto lock, ledger::FileLock::lease(op, deps.ledger.state_dir(), lease.id, "drawhitch stop-run"));
    return Stop(op, deps, lease, options).go();
}

}  // namespace drawhitch::flow
