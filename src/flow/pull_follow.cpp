#include "flow/pull_follow.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "base/random.hpp"
#include "base/retry.hpp"
#include "base/text.hpp"
#include "flow/lease_word.hpp"
#include "flow/pull_task.hpp"
#include "flow/run/poll.hpp"
#include "io/ledger/ledger.hpp"

namespace drawhitch::flow {

namespace {

constexpr milliseconds k_longest_pause{120'000};  // between two tries while the box does not answer
constexpr std::int64_t k_second = 1'000'000'000;
constexpr milliseconds k_shortest_pause{500};

bool is_over(const RunView& view) {
    return model::is_terminal(view.verdict.kind) || view.verdict.kind == model::VerdictKind::done_but_up ||
           view.never_began;
}

class Follow {
  public:
    Follow(const Op& op, Deps& deps, const FollowOptions& options, const FollowSink& sink)
        : op_(op), deps_(deps), options_(options), sink_(sink), last_answer_(op.clock.now()) {}

    // Interrupted, it says how it goes on.
    Result<FollowReport> run() {
        auto report = follow();
        const bool stopped =
            !report && (report.error().code == Code::cancelled || report.error().code == Code::deadline);
        if (stopped && !once_.run.empty()) return std::move(report).error().then(command());
        return report;
    }

  private:
    Result<FollowReport> follow() {
        TRY_ASSIGN(lease_, lease_to_read(deps_.ledger, options_.pull.box));
        TRY_ASSIGN(const model::Run subject, run_to_pull(deps_, lease_, options_.pull.run));
        once_ = options_.pull;
        once_.run = subject.spec.name;
        for (;;) {
            TRY(op_.check());
            TRY_ASSIGN(const bool ended, look());
            if (!ended) {
                op_.clock.sleep(op_.left(pause_), op_.cancel);
                continue;
            }
            auto last = pull(op_, deps_, once_);
            if (last && !(last->problem && is_unreachable(*last->problem))) return finish(std::move(*last));
            TRY(unanswered(last ? *last->problem : std::move(last).error()));
            op_.clock.sleep(op_.left(pause_), op_.cancel);
        }
    }

    // True once the run has ended. An Error that no waiting cures ends the following.
    Result<bool> look() {
        pause_ = options_.every;
        TRY_ASSIGN(lease_, deps_.ledger.lease(lease_.id));
        TRY_ASSIGN(const RunsView view, view_runs(op_, deps_, lease_, once_.run, {}));
        if (view.unreachable) {
            TRY(unanswered(*view.unreachable));
            return false;
        }
        answered();
        if (std::ranges::all_of(view.runs, is_over)) {
            if (!std::exchange(ended_, true))
                op_.note(once_.run + " has ended: " + std::string{model::name_of(view.runs.front().verdict.kind)});
            return true;
        }
        auto round = Pull{op_, deps_, once_, &followed_}.round();
        if (!round && round.error().code == Code::not_found) return false;  // its directory is not there yet
        if (!round && is_unreachable(round.error())) {
            TRY(unanswered(std::move(round).error()));
            return false;
        }
        // Somebody else pulls into the same place just now; at the very start it is told.
        if (!round && round.error().code == Code::locked && looked_) return false;
        if (!round) return std::move(round).error();
        looked_ = true;
        if (*round) TRY(tell(**round));
        if (followed_.again_in) pause_ = std::clamp(*followed_.again_in, std::min(k_shortest_pause, pause_), pause_);
        return false;
    }

    Status tell(const PullReport& report) {
        once_.declare.clear();  // the first one declared it
        report_.wire_bytes += report.tally.wire.sent + report.tally.wire.received;
        for (const PulledUnit& unit : report.units) {
            if (unit.proven && !unit.rotated) {
                ++report_.units;
                report_.bytes += unit.bytes;
            }
            // The same trouble is told once.
            std::string& before = troubles_[unit.name];
            const bool again = !unit.proven && before == unit.why;
            before = unit.proven ? "" : unit.why;
            if (!again) sink_({unit, report.directory, op_.clock.wall()});
        }
        if (!report.problem || report.problem->code == Code::skipped || report.problem->code == Code::integrity)
            return ok();
        return is_unreachable(*report.problem) ? unanswered(*report.problem) : Status{*report.problem};
    }

    // A box that says nothing is waited for, ever more patiently, but not for ever.
    Status unanswered(Error error) {
        if (!is_unreachable(error)) return error;
        TRY(op_.check());
        const milliseconds silent = std::chrono::duration_cast<milliseconds>(op_.clock.now() - last_answer_);
        if (silent > options_.give_up) return std::move(error).then(command());
        const RetryPolicy policy{
            .max_attempts = 0, .base = options_.every, .cap = std::max(options_.every, k_longest_pause), .factor = 2.0};
        pause_ = next_delay(policy, ++failures_, std::nullopt, random_u64());
        if (failures_ == 1)
            op_.note(lease_.name + " is UNREACHABLE: " + error.message + "; it is asked again, ever more rarely");
        return ok();
    }

    void answered() {
        if (failures_ > 0) op_.note(lease_.name + " answers again");
        failures_ = 0;
        last_answer_ = op_.clock.now();
    }

    [[nodiscard]] std::string command() const {
        return pull_command(options_.pull, word_of(lease_), once_.run) + " --follow";
    }

    FollowReport finish(PullReport last) {
        report_.wire_bytes += last.tally.wire.sent + last.tally.wire.received;
        report_.last = std::move(last);
        return std::move(report_);
    }

    const Op& op_;
    Deps& deps_;
    const FollowOptions& options_;
    const FollowSink& sink_;
    model::Lease lease_{};
    PullOptions once_{};  // as the user asked, with the run's name
    Followed followed_{};
    FollowReport report_{};
    Instant last_answer_;
    milliseconds pause_{0};
    int failures_{0};
    bool looked_{false};  // at least once, to its end
    bool ended_{false};
    std::map<std::string, std::string> troubles_{};  // by unit: why it was not proven
};

}  // namespace

UnitTests settled_tests(const RunFiles& files, Followed& followed) {
    const auto answer = followed.watch.look({files.units, files.entries, files.being_written, files.writers_known,
                                             files.directories, files.box_seconds * k_second});
    followed.again_in.reset();
    // The box told whole seconds.
    if (answer.again_ns > 0)
        followed.again_in = milliseconds{(answer.again_ns - files.box_seconds * k_second) / 1'000'000 + 1000};
    followed.selected.clear();
    std::map<std::string, proto::Digest, std::less<>> settled;
    for (const std::size_t index : answer.settled)
        settled.emplace(files.units[index].name, plan::state_of(files.units[index], files.entries));
    UnitTests tests;
    tests.not_done = [settled, &followed](const plan::Unit& unit) {
        const proto::Digest& state = settled.at(unit.name);
        const auto before = followed.done.find(unit.name);
        if (before != followed.done.end() && before->second == state) return false;
        followed.selected.insert_or_assign(unit.name, state);
        return true;
    };
    tests.settled = [names = std::move(settled)](const plan::Unit& unit) { return names.contains(unit.name); };
    return tests;
}

// A unit that came as it is on the box, and is bad there, is no better the next time.
void note_done(const PullReport& report, Followed& followed) {
    std::set<std::string_view> to_come;
    for (const PulledFile& file : report.files)
        if (file.state != FileState::pulled && file.state != FileState::kept) to_come.insert(file.entry.unit);
    for (const PulledUnit& unit : report.units) {
        const auto state = followed.selected.find(unit.name);
        if (state != followed.selected.end() && !to_come.contains(unit.name))
            followed.done.insert_or_assign(unit.name, state->second);
    }
}

Result<FollowReport> follow_run(const Op& op, Deps& deps, const FollowOptions& options, const FollowSink& sink) {
    return Follow{op, deps, options, sink}.run();
}

}  // namespace drawhitch::flow
