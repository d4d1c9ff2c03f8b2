// Runs whose launch was interrupted before they began: nobody waits for them, and every verb says what ends them.
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>

#include "faulty_connector.hpp"
#include "flow/pull.hpp"
#include "flow/run/launch.hpp"
#include "flow/run/logs.hpp"
#include "flow/run/stop.hpp"
#include "flow/run/watch.hpp"
#include "run_stage.hpp"

using namespace drawhitch;
using model::VerdictKind;
using support::RunStage;

namespace {

constexpr auto k_way_out = "drawhitch stop-run b1 r1";

pid_t a_dead_process() {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    ::waitpid(child, nullptr, 0);
    return child;
}

// Claimed in the ledger by that process; the box has heard of it when `on_box` says so.
void claim(RunStage& stage, pid_t by, bool on_box) {
    model::RunSpec spec;
    spec.name = "r1";
    spec.command = {"true"};
    spec.roster = {{"*.bin", model::RosterClass::must}};
    spec.run_dir = stage.local().root() + "/runs/r1";
    spec.work_dir = spec.run_dir + "/work";
    spec.started_by_pid = by;
    REQUIRE(stage.local().ledger().set_note(stage.lease().id, "run.token.r1", std::string(32, 'a')));
    REQUIRE(stage.local().ledger().claim_run(stage.lease().id, spec));
    if (!on_box) return;
    std::filesystem::create_directories(spec.work_dir);
    const std::string mark = spec.run_dir + "/claim";
    support::write_file(mark, std::string(32, 'a') + "\n");
    std::filesystem::last_write_time(mark, std::filesystem::file_time_type::clock::now() - std::chrono::hours{1});
}

struct Watched {
    Result<flow::RunsView> view;
    int looks{0};
};

// Cancelled after so many looks, so that a watch without end is seen as one.
Watched watch(RunStage& stage, const flow::WatchOptions& options, int most) {
    Watched watched{Error{}, 0};
    watched.view = flow::watch_runs(stage.op, stage.deps(), stage.lease(), options, [&](const auto&, bool) {
        if (++watched.looks >= most) stage.op.cancel().request();
    });
    return watched;
}

}  // namespace

TEST_CASE("a watch does not wait for a run whose launch was interrupted before it began") {
    for (const bool on_box : {false, true}) {
        CAPTURE(on_box);
        RunStage stage;
        claim(stage, a_dead_process(), on_box);
        const auto watched = watch(stage, {.every = milliseconds{1}, .until_done = true}, 5);
        REQUIRE(watched.view);
        CHECK(watched.looks == 1);
        const flow::RunView& run = watched.view->runs.front();
        CHECK(run.never_began);
        CHECK(run.verdict.kind == VerdictKind::unknown);
        CHECK(run.verdict.cause == "its launch was interrupted before it began");
        CHECK(flow::exit_code_of(watched.view->runs) == 5);
    }
}

TEST_CASE("a claim whose launch is at work is STARTING, and waited for") {
    RunStage stage;
    claim(stage, ::getpid(), true);
    const auto watched = watch(stage, {.every = milliseconds{1}}, 3);
    CHECK_FALSE(watched.view);
    CHECK(watched.looks == 3);
    const auto view = flow::view_runs(support::TestOp{}, stage.deps(), stage.lease(), "r1");
    REQUIRE(view);
    CHECK(view->runs.front().verdict.kind == VerdictKind::starting);
    CHECK_FALSE(view->runs.front().never_began);
}

TEST_CASE("a box that answers and knows nothing of a run is watched no longer than one that is silent") {
    RunStage stage;
    stage.launch(RunStage::job("sleep 60"));
    const model::Verdict seen = stage.verdict("r1");
    REQUIRE(seen.kind == VerdictKind::running);
    const std::string directory = stage.local().root() + "/runs";
    std::filesystem::rename(directory, directory + ".away");
    const auto watched = watch(stage, {.every = milliseconds{1}, .give_up = milliseconds{20}}, 1000);
    std::filesystem::rename(directory + ".away", directory);
    REQUIRE(watched.view);
    CHECK(watched.view->runs.front().verdict.kind == VerdictKind::unknown);
    CHECK_FALSE(watched.view->runs.front().never_began);
}

TEST_CASE("logs and pull of a run that never began name the command that ends it") {
    for (const bool on_box : {false, true}) {
        CAPTURE(on_box);
        RunStage stage;
        claim(stage, a_dead_process(), on_box);
        const auto log = flow::read_log(stage.op, stage.deps(), stage.lease(), {}, [](auto) { return ok(); });
        REQUIRE_FALSE(log);
        CHECK(log.error().code == Code::not_found);
        CHECK(log.error().next == k_way_out);
        const auto pulled = flow::pull(stage.op, stage.deps(), {.box = "b1", .run = "r1"});
        REQUIRE_FALSE(pulled);
        CHECK(pulled.error().code == Code::not_found);
        CHECK(pulled.error().next == k_way_out);
        CHECK(pulled.error().why.find("stays taken") != std::string::npos);
        const auto stopped = flow::stop_run(stage.op, stage.deps(), stage.lease(), {.run = "r1"});
        REQUIRE(stopped);
        CHECK(model::is_terminal(stopped->view.verdict.kind));
    }
}

TEST_CASE("an interrupted launch says that its name stays taken, how to go on and how to be rid of it") {
    RunStage stage;
    support::FaultPlan plan;
    plan.fail_at = 3;  // on the connection: what prepares the run
    plan.persistent = true;
    plan.error = Error{Code::cancelled, "interrupted (injected)"};
    support::FaultyConnector connector(plan);
    flow::Deps& deps = stage.deps();
    flow::Deps cut{deps.ledger, connector, deps.helpers, deps.prompt, deps.laptop, deps.project, deps.settings};
    auto options = RunStage::job("true");
    options.under_name = [](const std::string& name) { return "drawhitch run b1 --name " + name + " -- true"; };
    const auto launched = flow::launch(stage.op, cut, stage.lease(), options);
    REQUIRE_FALSE(launched);
    CHECK(stage.local().ledger().runs(stage.lease().id)->size() == 1);
    CHECK(launched.error().why.find("the name r1 stays taken") != std::string::npos);
    CHECK(launched.error().why.find(k_way_out) != std::string::npos);
    CHECK(launched.error().next == "drawhitch run b1 --name r1 -- true");
}
