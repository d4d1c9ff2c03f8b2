// "Fail the n-th call until a run is clean" for the flows around a run.
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>

#include "faulty_connector.hpp"
#include "flow/run/logs.hpp"
#include "flow/run/stop.hpp"
#include "flow/run/watch.hpp"
#include "run_stage.hpp"

using namespace drawhitch;
using model::VerdictKind;
using support::RunStage;

namespace {

constexpr std::size_t k_most_faults = 500;

flow::Deps with(RunStage& stage, flow::Connector& connector) {
    flow::Deps& deps = stage.deps();
    return {deps.ledger, connector, deps.helpers, deps.prompt, deps.laptop, deps.project, deps.settings};
}

}  // namespace

TEST_CASE("whichever call of a look fails, no state changes and the next look is right", "[loop]") {
    RunStage stage;
    stage.launch(RunStage::job("sleep 60"));
    for (std::size_t n = 1; n < k_most_faults; ++n) {
        support::FaultPlan plan;
        plan.fail_at = n;
        support::FaultyConnector connector(plan);
        flow::Deps deps = with(stage, connector);
        const auto view = flow::view_runs(stage.op, deps, stage.lease(), "");
        INFO("fault " << n);
        REQUIRE(view);
        CHECK(view->unreachable.has_value() == plan.fired);
        CHECK(view->runs.front().verdict.kind == (plan.fired ? VerdictKind::unreachable : VerdictKind::running));
        CHECK(stage.local().ledger().runs(stage.lease().id)->front().verdict.kind == VerdictKind::running);
        if (!plan.fired) return;
    }
    FAIL("no clean run");
}

TEST_CASE("whichever call of following a log fails, every line comes once", "[loop]") {
    RunStage stage;
    stage.launch(RunStage::job("i=0; while [ $i -lt 50 ]; do echo line $i; i=$((i+1)); done"));
    stage.await("r1", {VerdictKind::done});
    for (std::size_t n = 1; n < k_most_faults; ++n) {
        support::FaultPlan plan;
        plan.fail_at = n;
        support::FaultyConnector connector(plan);
        flow::Deps deps = with(stage, connector);
        support::HastyClock clock;
        const support::TestOp op(clock);
        std::vector<std::string> lines;
        const auto read = flow::read_log(op, deps, stage.lease(), {.run = "r1", .lines = 20, .follow = true},
                                         [&](std::string_view line) {
                                             lines.emplace_back(line);
                                             return ok();
                                         });
        INFO("fault " << n << (read ? "" : read.error().message));
        // The first look has nothing to go on with; from then on a lost link is no end.
        if (!read) {
            CHECK(lines.empty());
            continue;
        }
        REQUIRE(lines.size() == 20);
        CHECK(lines.front() == "line 30");
        CHECK(lines.back() == "line 49");
        if (!plan.fired) return;
    }
    FAIL("no clean run");
}

TEST_CASE("whichever call of a stop fails, it is told, nothing else is signalled, and a second stop finishes",
          "[loop]") {
    RunStage stage;
    stage.launch(RunStage::job("sleep 3601"));
    // Each round waits for a real process to end: every ninth call, or each single one with DRAWHITCH_LONG.
    const std::size_t stride = std::getenv("DRAWHITCH_LONG") != nullptr ? 1 : 9;
    for (std::size_t n = 1; n < k_most_faults; n += stride) {
        const auto report = stage.launch(RunStage::job("exec sleep 60"));
        const std::string name = report.run.spec.name;
        support::FaultPlan plan;
        plan.fail_at = n;
        support::FaultyConnector connector(plan);
        flow::Deps deps = with(stage, connector);
        flow::StopOptions options;
        options.run = name;
        // A signal that was lost on its way costs the whole grace before the next one.
        options.grace = std::chrono::seconds{1};
        support::HastyClock clock;
        const support::TestOp op(clock);
        const auto stopped = flow::stop_run(op, deps, stage.lease(), options);
        INFO("fault " << n << (stopped ? "" : ": " + stopped.error().message));
        if (!stopped) CHECK(plan.fired);
        REQUIRE(flow::stop_run(op, stage.deps(), stage.lease(), options));
        CHECK(model::is_terminal(stage.verdict(name).kind));
        CHECK(stage.verdict("r1").kind == VerdictKind::running);
        if (!plan.fired) return;
    }
    FAIL("no clean run");
}
