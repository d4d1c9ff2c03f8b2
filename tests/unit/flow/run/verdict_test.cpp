// Jobs that fool naive tools, for real, on this machine.
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "flow/run/launch.hpp"
#include "flow/run/stop.hpp"
#include "flow/run/watch.hpp"
#include "io/transport/transport.hpp"
#include "run_stage.hpp"

using namespace drawhitch;
using model::VerdictKind;
using support::RunStage;

namespace {

class DeadConnector final : public flow::Connector {
  public:
    Result<std::unique_ptr<transport::Transport>> to(const Op&, const model::Lease&) override {
        return Error{Code::refused, Retry::reconnect, "connection refused"};
    }
};

bool told(const model::Verdict& verdict, std::string_view text) {
    for (const std::string& line : verdict.evidence) {
        if (line.find(text) != std::string::npos) return true;
    }
    return false;
}

}  // namespace

TEST_CASE("a job that leaves its artifacts and exits with 0 is DONE") {
    RunStage stage;
    stage.launch(RunStage::job("mkdir ckpt; echo 'step 20/20, loss 0.5'; echo x >ckpt/last.bin", {"ckpt/*.bin"}));
    const auto verdict = stage.await("r1", {VerdictKind::done, VerdictKind::artifacts_missing});
    CHECK(verdict.kind == VerdictKind::done);
    CHECK(verdict.exit_code == 0);
    CHECK(verdict.progress == "step 20/20, loss 0.5");
}

TEST_CASE("exit code 0 without artifacts is ARTIFACTS-MISSING, also when older files match") {
    RunStage stage;
    support::write_file(stage.local().root() + "/releases/abc0/old.bin", "from the release");
    stage.launch(RunStage::job("echo DONE", {"*.bin"}));
    const auto verdict = stage.await("r1", {VerdictKind::done, VerdictKind::artifacts_missing});
    CHECK(verdict.kind == VerdictKind::artifacts_missing);
    CHECK(told(verdict, "matches 1 file, none newer than the start"));
    stage.launch(RunStage::job("true", {"out/**"}));
    CHECK(stage.await("r2", {VerdictKind::done, VerdictKind::artifacts_missing}).kind ==
          VerdictKind::artifacts_missing);
}

TEST_CASE("a job that prints DONE and runs on is RUNNING") {
    RunStage stage;
    stage.launch(RunStage::job("echo DONE; echo 'exit code 0'; echo 'step 100/100'; sleep 60"));
    stage.await_text("r1", "log", "100/100");
    const auto verdict = stage.verdict("r1");
    CHECK(verdict.kind == VerdictKind::running);
    CHECK(verdict.progress == "step 100/100");
}

TEST_CASE("a job that kills its own session is FAILED with the signal") {
    RunStage stage;
    stage.launch(RunStage::job("sleep 0.2; kill -KILL -$$"));
    const auto verdict = stage.await("r1", {VerdictKind::failed, VerdictKind::unknown});
    CHECK(verdict.kind == VerdictKind::failed);
    CHECK(verdict.signal == "KILL");
    CHECK(verdict.cause == "killed by KILL");
    CHECK(told(verdict, "memory-kill counter"));
}

TEST_CASE("a job and a wrapper killed together leave no record, and are FAILED by proof of death") {
    RunStage stage;
    stage.launch(RunStage::job("sleep 60"));
    const auto views =
        flow::poll_runs(stage.op, stage.deps(), stage.lease(), *stage.local().ledger().runs(stage.lease().id));
    REQUIRE(views);
    const auto& start = *views->front().facts->start;
    ::kill(static_cast<pid_t>(start.wrapper_pid), SIGKILL);
    ::kill(static_cast<pid_t>(-start.pgid), SIGKILL);
    const auto verdict = stage.await("r1", {VerdictKind::failed});
    CHECK(verdict.cause == "killed together with its wrapper, by an unknown hand");
    CHECK_FALSE(verdict.exit_code);
}

TEST_CASE("a record of another boot is LOST-AT-REBOOT, and a recycled number is not the job") {
    RunStage stage;
    stage.launch(RunStage::job("sleep 60"));
    const std::string file = stage.run_file("r1", "start.json");
    const std::string record = support::read_file(file);
    const auto edited = [&](const std::string& from, const std::string& to) {
        std::string text = record;
        text.replace(text.find(from), from.size(), to);
        support::write_file(file, text);
        return stage.verdict("r1");
    };
    const auto views =
        flow::poll_runs(stage.op, stage.deps(), stage.lease(), *stage.local().ledger().runs(stage.lease().id));
    const auto& start = *views->front().facts->start;
    CHECK(edited(start.boot_id, "11111111-2222-3333-4444-555555555555").kind == VerdictKind::lost_at_reboot);
    support::write_file(file, record);
    ::kill(static_cast<pid_t>(-start.pgid), SIGKILL);
    stage.await_text("r1", "exit.json", "KILL");
}

TEST_CASE("exit code 0 with a daemon left behind is DONE-BUT-UP until the daemon is gone") {
    RunStage stage;
    stage.launch(RunStage::job("setsid sleep 60 & sleep 0.2; echo x >a.bin", {"*.bin"}));
    const auto verdict = stage.await("r1", {VerdictKind::done, VerdictKind::done_but_up});
    CHECK(verdict.kind == VerdictKind::done_but_up);
    flow::StopOptions stop;
    stop.run = "r1";
    stop.grace = std::chrono::seconds(5);
    auto report = flow::stop_run(stage.op, stage.deps(), stage.lease(), stop);
    REQUIRE(report);
    CHECK(report->had_ended);
    CHECK(report->strays.size() == 1);
    stop.strays = true;
    report = flow::stop_run(stage.op, stage.deps(), stage.lease(), stop);
    REQUIRE(report);
    CHECK(report->strays.empty());
    CHECK(stage.verdict("r1").kind == VerdictKind::done);
}

TEST_CASE("stop-run gives the job its chance to save, and leaves others alone") {
    RunStage stage;
    stage.launch(RunStage::job("trap 'echo saved >saved.bin; exit 3' TERM; echo ready; while :; do sleep 0.05; done"));
    stage.launch(RunStage::job("sleep 60"));
    stage.await_text("r1", "log", "ready");
    flow::StopOptions stop;
    stop.run = "r1";
    const auto report = flow::stop_run(stage.op, stage.deps(), stage.lease(), stop);
    REQUIRE(report);
    CHECK(report->signal == "TERM");
    CHECK(report->view.verdict.exit_code == 3);
    CHECK(support::read_file(stage.run_file("r1", "work/saved.bin")) == "saved\n");
    CHECK(stage.verdict("r2").kind == VerdictKind::running);
}

TEST_CASE("stop-run kills what ignores TERM once the grace is over, children included") {
    RunStage stage;
    stage.launch(RunStage::job("trap '' TERM; sleep 60 & echo ready; while :; do sleep 0.05; done"));
    stage.await_text("r1", "log", "ready");
    flow::StopOptions stop;
    stop.run = "r1";
    stop.grace = std::chrono::seconds(0);
    const auto report = flow::stop_run(stage.op, stage.deps(), stage.lease(), stop);
    REQUIRE(report);
    CHECK(report->signal == "KILL");
    CHECK(report->view.verdict.signal == "KILL");
    CHECK(report->view.verdict.cause == "stopped by drawhitch");
    CHECK(report->strays.empty());
    // A later look at the same record keeps what only we knew, and a directory that is gone takes no proof away.
    const auto again = [&] {
        return flow::poll_runs(stage.op, stage.deps(), stage.lease(), *stage.local().ledger().runs(stage.lease().id))
            ->front()
            .verdict;
    };
    CHECK(again().cause == "stopped by drawhitch");
    std::filesystem::rename(stage.local().root() + "/runs/r1", stage.local().root() + "/elsewhere");
    CHECK(again().kind == VerdictKind::failed);
}

TEST_CASE("a box that does not answer changes no job's state") {
    RunStage stage;
    stage.launch(RunStage::job("sleep 60"));
    stage.launch(RunStage::job("exit 3"));
    CHECK(stage.await("r2", {VerdictKind::failed}).exit_code == 3);
    DeadConnector dead;
    flow::Deps deps{stage.local().ledger(), dead,
                    stage.deps().helpers,   stage.deps().prompt,
                    stage.deps().laptop,    stage.deps().project,
                    stage.deps().settings};
    const auto views = flow::view_runs(stage.op, deps, stage.lease(), "");
    REQUIRE(views);
    REQUIRE(views->unreachable);
    CHECK(views->runs[0].verdict.kind == VerdictKind::unreachable);
    CHECK(views->runs[0].verdict.since == stage.lease().last_contact);
    CHECK(told(views->runs[0].verdict, "last seen RUNNING"));
    CHECK(views->runs[1].verdict.kind == VerdictKind::failed);
    CHECK(stage.local().ledger().run_by_name(stage.lease().id, "r1")->verdict.kind == VerdictKind::running);
    CHECK(flow::exit_code_of(views->runs) == 12);
    CHECK(stage.verdict("r1").kind == VerdictKind::running);
}

namespace {

// A box that lets nobody in, or another one in its place.
class RefusingConnector final : public flow::Connector {
  public:
    explicit RefusingConnector(Code code) : code_(code) {}
    Result<std::unique_ptr<transport::Transport>> to(const Op&, const model::Lease&) override {
        ++asked;
        return Error{code_, "not with us"};
    }
    int asked{0};

  private:
    Code code_;
};

}  // namespace

TEST_CASE("what has ended is told from the ledger, and beside it that the box was not asked") {
    const Code code = GENERATE(Code::refused, Code::host_key, Code::auth);
    CAPTURE(static_cast<int>(code));
    const bool waiting_helps = code == Code::refused;
    RunStage stage;
    stage.launch(RunStage::job("exit 3"));
    stage.await("r1", {VerdictKind::failed});
    RefusingConnector connector{code};
    flow::Deps deps{stage.local().ledger(), connector,           stage.deps().helpers,
                    stage.deps().prompt,    stage.deps().laptop, stage.deps().project,
                    stage.deps().settings};
    const auto views = flow::view_runs(stage.op, deps, stage.lease(), "", {.always = true});
    REQUIRE(views);
    CHECK(connector.asked == 1);
    CHECK(views->runs.at(0).verdict.exit_code == 3);
    CHECK(views->unreachable.has_value() == waiting_helps);
    CHECK(views->refused.has_value() != waiting_helps);

    const auto stopped = flow::stop_run(stage.op, deps, stage.lease(), {.run = "r1"});
    REQUIRE(stopped);
    CHECK(connector.asked == 2);
    CHECK(stopped->had_ended);
    CHECK(stopped->view.verdict.exit_code == 3);
    REQUIRE(stopped->not_asked);
    CHECK(stopped->not_asked->code == code);
    // Strays cannot be ended from a ledger.
    CHECK(flow::stop_run(stage.op, deps, stage.lease(), {.run = "r1", .strays = true}).error().code == code);
}

TEST_CASE("stopping a run that has ended asks the box, and signals nothing") {
    RunStage stage;
    stage.launch(RunStage::job("exit 3"));
    stage.await("r1", {VerdictKind::failed});
    const bool gone = GENERATE(false, true);
    CAPTURE(gone);
    if (gone) std::filesystem::remove_all(stage.local().root() + "/runs/r1");
    const auto stopped = flow::stop_run(stage.op, stage.deps(), stage.lease(), {.run = "r1"});
    REQUIRE(stopped);
    CHECK(stopped->had_ended);
    CHECK(stopped->signal.empty());
    CHECK_FALSE(stopped->not_asked);
    CHECK(stopped->view.verdict.exit_code == 3);
}

TEST_CASE("watching ends when every run has ended, with a heartbeat for every look without news") {
    RunStage stage;
    stage.launch(RunStage::job("while [ ! -e ../go ]; do sleep 0.02; done; echo x >a.bin", {"*.bin"}));
    flow::WatchOptions options;
    options.every = milliseconds{20};
    int looks = 0;
    int changes = 0;
    const auto view = flow::watch_runs(stage.op, stage.deps(), stage.lease(), options, [&](const auto&, bool changed) {
        ++looks;
        changes += changed ? 1 : 0;
        if (looks == 3) support::write_file(stage.run_file("r1", "go"), "");
    });
    REQUIRE(view);
    CHECK(view->runs.front().verdict.kind == VerdictKind::done);
    CHECK(flow::exit_code_of(view->runs) == 0);
    CHECK(looks >= 4);
    CHECK(changes == 2);
    CHECK(stage.op.events().texts(EventKind::heartbeat).size() == static_cast<std::size_t>(looks - changes));
}

TEST_CASE("a watcher gives up on a box that does not answer, unless told to wait") {
    RunStage stage;
    stage.launch(RunStage::job("sleep 60"));
    DeadConnector dead;
    flow::Deps deps{stage.local().ledger(), dead,
                    stage.deps().helpers,   stage.deps().prompt,
                    stage.deps().laptop,    stage.deps().project,
                    stage.deps().settings};
    flow::WatchOptions options;
    options.every = milliseconds{5};
    options.give_up = milliseconds{40};
    const auto view = flow::watch_runs(stage.op, deps, stage.lease(), options, [](const auto&, bool) {});
    REQUIRE(view);
    CHECK(view->unreachable);
    CHECK(flow::exit_code_of(view->runs) == 5);
}

TEST_CASE("a lease has one watcher") {
    RunStage stage;
    stage.launch(RunStage::job("sleep 60"));
    flow::WatchOptions options;
    std::optional<Code> second;
    const auto view = flow::watch_runs(stage.op, stage.deps(), stage.lease(), options, [&](const auto&, bool) {
        const auto other = flow::watch_runs(stage.op, stage.deps(), stage.lease(), options, [](const auto&, bool) {});
        if (!other) second = other.error().code;
        stage.op.cancel().request();
    });
    REQUIRE_FALSE(view);
    CHECK(view.error().code == Code::cancelled);
    CHECK(second == Code::locked);
}

TEST_CASE("a job that writes its own exit record while it lives is RUNNING, and the next run knows of it") {
    RunStage stage;
    stage.launch(
        RunStage::job("printf '{\"schema\":1,\"attempt\":1,\"token\":\"%s\",\"code\":0,\"signal\":null,\"sure\":true,"
                      "\"stage\":\"job\",\"started\":1,\"ended\":2}' \"$DRAWHITCH_RUN_TOKEN\" >../exit.json; echo "
                      "forged; exec sleep 60"));
    stage.await_text("r1", "log", "forged");
    const auto verdict = stage.verdict("r1");
    CHECK(verdict.kind == VerdictKind::running);
    CHECK(told(verdict, "another hand wrote it"));
}
