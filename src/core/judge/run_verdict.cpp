#include "core/judge/run_verdict.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "core/judge/run_cause.hpp"

namespace drawhitch::judge {

namespace {

using model::RunFacts;
using model::Verdict;
using model::VerdictKind;

// Everything one decision needs, and the verdict in the making.
struct Case {
    const model::BoxState& box;
    const RunFacts& run;
    const RunPolicy& policy;
    WallTime polled{};
    Verdict verdict{};

    Verdict& is(VerdictKind kind) {
        verdict.kind = kind;
        return verdict;
    }
    void note(std::string fact) { verdict.evidence.push_back(std::move(fact)); }
    // Seconds since a moment of the box's clock; never negative, as that clock may be set back.
    [[nodiscard]] std::optional<std::int64_t> age(std::int64_t moment) const {
        if (!box.now) return std::nullopt;
        return std::max<std::int64_t>(0, *box.now - std::min(moment, *box.now));
    }
    void since(std::int64_t moment) {
        if (const auto seconds = age(moment)) verdict.since = WallTime{polled.seconds - *seconds, polled.nanoseconds};
    }
};

// As a moment, not as an age: evidence is kept, and read again when it is older.
std::string moment_of(const Case& c, std::optional<std::int64_t> age) {
    return age ? "at " + rfc3339({c.polled.seconds - *age, 0}) : "at an unknown time";
}

bool is_alive(const std::optional<model::ProcessFacts>& seen, std::uint64_t ticks) {
    return seen && seen->start_ticks == ticks && seen->state != 'Z' && seen->state != 'X';
}

std::string pattern_of(const RunPolicy& policy, std::size_t index) {
    return index < policy.roster.size() ? "\"" + policy.roster[index].pattern + "\""
                                        : "pattern " + std::to_string(index);
}

enum class Artifacts { there, missing, unknown };

Artifacts check_artifacts(Case& c) {
    Artifacts result = Artifacts::there;
    for (std::size_t i = 0; i < c.policy.roster.size(); ++i) {
        if (c.policy.roster[i].wanted != model::RosterClass::must) continue;
        const auto facts = i < c.run.artifacts.size() ? c.run.artifacts[i] : model::ArtifactFacts{};
        if (!facts.known) {
            c.note(pattern_of(c.policy, i) + " could not be looked for");
            if (result == Artifacts::there) result = Artifacts::unknown;
        } else if (facts.newer == 0) {
            c.note(facts.count == 0 ? pattern_of(c.policy, i) + " matches no file"
                                    : pattern_of(c.policy, i) + " matches " + counted(facts.count, "file") +
                                          ", none newer than the start");
            result = Artifacts::missing;
        } else {
            c.note(pattern_of(c.policy, i) + ": " + counted(facts.newer, "file") + ", the newest written " +
                   moment_of(c, c.age(facts.newest)));
        }
    }
    return result;
}

// The wrapper says it ended well; whether it did is what it left behind.
void judge_success(Case& c, const model::ExitRecord& exit) {
    c.verdict.exit_code = 0;
    c.since(exit.ended);
    c.note("exit record: code 0");
    const Artifacts artifacts = check_artifacts(c);
    const auto living = living_processes(c.run);
    if (!living.empty()) {
        c.is(VerdictKind::done_but_up).cause = "processes of the run still live";
        c.note(counted(living.size(), "process of the run still lives", "processes of the run still live") +
               ", among them pid " + std::to_string(living.front()));
        return;
    }
    if (!c.run.processes_known) c.note("the processes of the box could not be listed");
    switch (artifacts) {
        case Artifacts::there:
            c.is(VerdictKind::done);
            break;
        case Artifacts::missing:
            c.is(VerdictKind::artifacts_missing).cause = "it exited with 0 and left no artifacts";
            break;
        case Artifacts::unknown:
            c.is(VerdictKind::unknown).cause = "it exited with 0, but its artifacts could not be checked";
            break;
    }
}

void judge_exit(Case& c, const model::ExitRecord& exit) {
    if (exit.code == 0 && exit.stage == "job") {
        judge_success(c, exit);
        return;
    }
    c.is(VerdictKind::failed);
    c.since(exit.ended);
    c.verdict.exit_code = exit.code;
    c.verdict.signal = exit.signal;
    c.verdict.cause = cause_of_exit(exit, c.box, c.verdict.evidence);
    if (const auto living = living_processes(c.run); !living.empty()) {
        c.note(counted(living.size(), "process of the run still lives", "processes of the run still live") +
               ", among them pid " + std::to_string(living.front()));
    }
}

void judge_unstarted(Case& c) {
    const auto age = c.run.claimed ? c.age(*c.run.claimed) : std::nullopt;
    if (c.run.claimed) c.since(*c.run.claimed);
    c.note("claimed " + moment_of(c, age) + ", no start record");
    if (age && *age <= c.policy.start_within.count()) {
        c.is(VerdictKind::starting);
    } else {
        c.is(VerdictKind::unknown).cause = "it was claimed and never started";
    }
}

// A fingerprint of what the roster shows: any change of count, size or time changes it.
std::uint64_t fingerprint(const std::vector<model::ArtifactFacts>& artifacts) {
    std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a over the numbers
    const auto mix = [&](std::uint64_t value) { hash = (hash ^ value) * 1099511628211ULL; };
    bool any = false;
    for (const auto& facts : artifacts) {
        if (!facts.known) continue;
        any = any || facts.newer > 0;
        mix(facts.newer);
        mix(facts.bytes);
        mix(static_cast<std::uint64_t>(facts.newest));
    }
    return any ? hash : 0;
}

// When the run moved last, as far as one look can tell.
std::int64_t last_sign(const Case& c, std::int64_t started) {
    std::int64_t moment = started;
    for (const auto& facts : c.run.artifacts) {
        if (facts.known && facts.newer > 0) moment = std::max(moment, facts.newest);
    }
    if (c.run.progress.known() && c.run.log_mtime) moment = std::max(moment, *c.run.log_mtime);
    return moment;
}

RunHistory moved_on(Case& c, const RunHistory& before, const model::StartRecord& start) {
    RunHistory now = before.attempt == start.attempt ? before : RunHistory{};
    now.attempt = start.attempt;
    const bool first_look = !now.progress_at.has_value();
    const model::Progress& read = c.run.progress;
    const bool step_moved = read.known() && (read.step != now.progress.step || read.epoch != now.progress.epoch ||
                                             (!read.step && read.loss != now.progress.loss));
    const std::uint64_t artifacts = fingerprint(c.run.artifacts);
    const bool artifacts_moved = artifacts != 0 && artifacts != now.artifacts_seen;
    if (read.step && now.progress.step && *read.step < *now.progress.step && read.epoch <= now.progress.epoch) {
        c.note("PROGRESS WENT BACKWARDS (" + std::to_string(*now.progress.step) + " -> " + std::to_string(*read.step) +
               ")");
    }
    if (read.known()) now.progress = read;
    if (artifacts != 0) now.artifacts_seen = artifacts;
    now.log_size = c.run.log_size.value_or(now.log_size);
    now.progressed = now.progressed || step_moved || artifacts_moved;
    if (!c.box.now) return now;
    if (first_look) {
        now.progress_at = std::min(last_sign(c, start.started), *c.box.now);
    } else if (step_moved || artifacts_moved) {
        now.longest_gap = std::max(now.longest_gap, *c.box.now - *now.progress_at);
        now.progress_at = *c.box.now;
    } else if (*now.progress_at > *c.box.now) {
        now.progress_at = *c.box.now;  // the box's clock was set back
    }
    return now;
}

RunHistory judge_alive(Case& c, const model::StartRecord& start, const RunHistory& before) {
    RunHistory history = moved_on(c, before, start);
    c.is(VerdictKind::running);
    c.since(start.started);
    c.note("pid " + std::to_string(start.pid) + " lives, started " + moment_of(c, c.age(start.started)));
    if (c.run.log_mtime) c.note("log written " + moment_of(c, c.age(*c.run.log_mtime)));
    note_host_load(c.box, c.verdict.evidence);
    if (!history.progressed || !history.progress_at) {
        c.note("no step and no artifact seen yet");
        return history;
    }
    const std::int64_t quiet = c.age(*history.progress_at).value_or(0);
    c.note("last progress " + moment_of(c, quiet));
    const std::int64_t limit = std::max<std::int64_t>(c.policy.stall_after.count(), 3 * history.longest_gap);
    if (limit > 0 && quiet > limit) {
        c.is(VerdictKind::stalled).cause = "no step and no artifact for " + human_duration(std::chrono::seconds(quiet));
        c.verdict.since = std::nullopt;
        c.since(*history.progress_at);
    }
    return history;
}

// The job is gone and left no exit record. Only a proof of death counts: another boot, or a pid that is gone while
// /proc could be read and the wrapper, too, is no more.
void judge_gone(Case& c, const model::StartRecord& start) {
    c.since(start.started);
    if (is_alive(c.run.at_wrapper_pid, start.wrapper_ticks)) {
        c.is(VerdictKind::running).cause = "the job has ended, its record is being written";
        c.note("pid " + std::to_string(start.pid) + " has ended, the wrapper has not recorded how yet");
        return;
    }
    if (!c.run.processes_known) {
        c.is(VerdictKind::unknown).cause = "the processes of the box could not be listed";
        return;
    }
    // In a container whose first process collects nothing a dead job stays a zombie for good.
    const bool zombie = c.run.at_pid && c.run.at_pid->start_ticks == start.start_ticks;
    c.note("pid " + std::to_string(start.pid) +
           (zombie         ? " is dead and was never collected"
            : c.run.at_pid ? " belongs to another process now"
                           : " is gone"));
    c.note("no exit record: the wrapper died with it");
    if (const auto living = living_processes(c.run); !living.empty()) {
        c.is(VerdictKind::unknown).cause =
            "the job's main process and its wrapper are gone, other processes of it live";
        c.note(counted(living.size(), "process of the run still lives", "processes of the run still live") +
               ", among them pid " + std::to_string(living.front()));
        return;
    }
    c.verdict.since.reset();
    c.is(VerdictKind::failed).cause = cause_of_vanishing(start, c.run.oom_kills, c.box, c.verdict.evidence);
}

bool lost_at_reboot(Case& c, const model::StartRecord& start) {
    const bool rebooted = start.boot_id != c.box.boot_id;
    const bool restarted = start.pid1_ticks != 0 && c.box.pid1_ticks != 0 && start.pid1_ticks != c.box.pid1_ticks;
    if (!rebooted && !restarted) return false;
    c.is(VerdictKind::lost_at_reboot).cause = rebooted ? "the box rebooted" : "the container was restarted";
    if (rebooted) {
        c.note("boot id was " + start.boot_id + ", is " + c.box.boot_id);
    } else {
        c.note("process 1 is another one than when the run began");
    }
    if (c.box.uptime) {
        const auto up = static_cast<std::int64_t>(*c.box.uptime);
        c.note("uptime " + human_duration(std::chrono::seconds(up)));
        if (rebooted) c.verdict.since = WallTime{c.polled.seconds - up, c.polled.nanoseconds};
    }
    c.note("no exit record");
    return true;
}

bool directory_tells_nothing(Case& c) {
    switch (c.run.directory) {
        case model::RunDirectory::present:
            return false;
        case model::RunDirectory::unknown:
            c.is(VerdictKind::unknown).cause = "the box's answer was cut short";
            return true;
        case model::RunDirectory::no_root:
            c.is(VerdictKind::unknown).cause = "the project's root is not on the box: its disk may not be mounted";
            return true;
        case model::RunDirectory::absent:
            c.is(VerdictKind::unknown).cause = "the run's directory is not on the box";
            return true;
    }
    return true;
}

// The job itself can write where its record lies. One that cannot be the wrapper's, who writes it when the job is gone,
// says nothing.
bool is_forged(Case& c) {
    const auto& start = c.run.start;
    const auto& exit = c.run.exit;
    if (!start || start->attempt != exit->attempt) return false;
    if (exit->token != start->token) {
        c.note("a record of its end is there that does not carry the run's token: another hand wrote it");
        return true;
    }
    if (!c.run.ended_before || start->boot_id != c.box.boot_id || !is_alive(c.run.at_pid, start->start_ticks))
        return false;
    c.note("a record of its end is there while its process " + std::to_string(start->pid) +
           " lives: another hand wrote it");
    return true;
}

// The order is that of proof: a record of the end, another boot, a living process, a dead one.
void decide(Case& c, const RunHistory& history, Judged& judged) {
    const bool has_start = c.run.start && c.run.start->attempt == c.policy.attempt;
    const bool has_exit = c.run.exit && c.run.exit->attempt == c.policy.attempt;
    if (directory_tells_nothing(c)) return;
    if (is_foreign(c.run, c.policy.token)) {
        c.is(VerdictKind::unknown).cause = "on the box another laptop's run has this name; ours never started";
        return;
    }
    if (has_exit && !is_forged(c)) {
        judge_exit(c, *c.run.exit);
        return;
    }
    if (c.run.unreadable_record) {
        c.is(VerdictKind::unknown).cause = "the run's record on the box makes no sense";
        return;
    }
    if (!has_start) {
        judge_unstarted(c);
        return;
    }
    if (c.box.boot_id.empty()) {
        c.is(VerdictKind::unknown).cause = "the box does not tell its boot id";
        return;
    }
    if (lost_at_reboot(c, *c.run.start)) return;
    if (is_alive(c.run.at_pid, c.run.start->start_ticks)) {
        judged.history = judge_alive(c, *c.run.start, history);
    } else {
        judge_gone(c, *c.run.start);
    }
}

}  // namespace

bool is_foreign(const RunFacts& run, const std::string& token) {
    if (token.empty()) return false;
    return (run.start && run.start->token != token) || (run.exit && run.exit->token != token);
}

std::vector<std::int64_t> living_processes(const RunFacts& run) {
    std::vector<std::int64_t> pids;
    if (!run.start) return pids;
    // A stranger who was given the recorded number leads a group of the same number: then the group is not ours.
    const bool stranger = run.at_pid && run.at_pid->start_ticks != run.start->start_ticks;
    if (!stranger) {
        for (const auto& member : run.members) {
            const bool ours =
                member.start_ticks >= run.start->start_ticks && member.state != 'Z' && member.state != 'X';
            if (ours) pids.push_back(member.pid);
        }
    }
    for (std::int64_t pid : run.carriers) {
        if (std::find(pids.begin(), pids.end(), pid) == pids.end()) pids.push_back(pid);
    }
    return pids;
}

std::vector<std::int64_t> strays(const RunFacts& run) {
    std::vector<std::int64_t> pids;
    if (!run.start) return pids;
    for (std::int64_t pid : living_processes(run)) {
        const bool in_group = std::any_of(
            run.members.begin(), run.members.end(),
            [&](const model::ProcessFacts& member) { return member.pid == pid && member.group == run.start->pgid; });
        if (!in_group) pids.push_back(pid);
    }
    return pids;
}

Judged judge_run(const model::PollFacts& poll, const RunFacts& run, const RunHistory& history, const RunPolicy& policy,
                 WallTime polled) {
    Case c{poll.box, run, policy, polled, {}};
    Judged judged{{}, history};
    c.verdict.progress = describe(run.progress.known() ? run.progress : history.progress);
    decide(c, history, judged);
    judged.verdict = std::move(c.verdict);
    return judged;
}

model::Verdict judge_unreachable(const Verdict& last, std::optional<WallTime> last_contact, const std::string& error) {
    Verdict verdict = last;
    if (model::is_terminal(last.kind)) {
        verdict.evidence.push_back("the box does not answer now: " + error);
        return verdict;
    }
    verdict.kind = VerdictKind::unreachable;
    verdict.since = last_contact;
    verdict.cause = error;
    verdict.evidence = {"last seen " + std::string(model::name_of(last.kind)) +
                        (last_contact ? " at " + rfc3339(*last_contact) : "")};
    return verdict;
}

}  // namespace drawhitch::judge
