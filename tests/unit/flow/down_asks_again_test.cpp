// What dies may change between the answer and the verb.
#include <catch2/catch_test_macros.hpp>

#include "down_stage.hpp"

using namespace drawhitch;
using flow::EndState;
using Stage = support::DownStage;

namespace {

// As time is, after the minutes that somebody was away.
class AwayClock final : public Clock {
  public:
    Instant now() const override { return system_clock().now(); }
    WallTime wall() const override {
        WallTime time = system_clock().wall();
        time.seconds += away_.count();
        return time;
    }
    void sleep(milliseconds duration, const Cancel& cancel) override { system_clock().sleep(duration, cancel); }
    void pass(std::chrono::seconds time) { away_ += time; }

  private:
    std::chrono::seconds away_{0};
};

struct Answered {
    Result<flow::DownReport> report;
    int shown{0};
};

// A run whose results are all proven when the plan is shown, and `meanwhile` before the answer is typed.
Answered answer_late(Stage& stage, flow::DownOptions options, const std::function<void()>& meanwhile) {
    auto wish = stage.job("printf abc >a.pt", {"*.pt"});
    wish.roster.push_back({"plots/*", model::RosterClass::nice});
    wish.name = "r1";
    stage.launch(wish);
    stage.await("r1", {model::VerdictKind::done});
    stage.pull();
    AwayClock clock;
    const support::TestOp op{clock, milliseconds{600'000}};
    int shown = 0;
    options.show = [&](const flow::DownPlan& plan) {
        CHECK(plan.gate.open);
        if (++shown > 1) return;
        CHECK(plan.gate.confirmation == judge::Confirmation::yes_no);
        clock.pass(std::chrono::minutes{11});
        meanwhile();
    };
    flow::Deps mine{stage.deps().ledger, stage.deps().connector, stage.deps().helpers, stage.yes,
                    stage.deps().laptop, stage.deps().project,   stage.deps().settings};
    auto report = flow::down(op, mine, stage.lease(), options);
    return {std::move(report), shown};
}

void draw_plot(const std::string& work) {
    std::filesystem::create_directories(work + "/plots");
    support::write_file(work + "/plots/loss.svg", "late");
}

}  // namespace

TEST_CASE("an answer that came late ends the box when nothing else dies than what was shown") {
    Stage stage;
    const auto answered = answer_late(stage, {}, [] {});
    REQUIRE(answered.report);
    CHECK(answered.report->state == EndState::unconfirmed);
    CHECK(answered.shown == 1);
}

TEST_CASE("when something unproven came to die since the answer, the plan is shown again and a yes is not enough") {
    Stage stage;
    const auto answered = answer_late(stage, {}, [&] { draw_plot(stage.work()); });
    CHECK(answered.shown == 2);
    REQUIRE_FALSE(answered.report);
    CHECK(answered.report.error().code == Code::gate_closed);
    CHECK(answered.report.error().next == "drawhitch down b1 --confirm b1");
    CHECK(stage.lease().state == model::LeaseState::active);
    CHECK(stage.local().ledger().open_intents()->empty());
    CHECK(stage.local().ledger().volatile_files(stage.lease().id)->size() == 1);
}

TEST_CASE("the name of the box, given from the start, covers what came to die since, and the plan is shown again") {
    Stage stage;
    const auto answered = answer_late(stage, {.confirm = "b1"}, [&] { draw_plot(stage.work()); });
    REQUIRE(answered.report);
    CHECK(answered.report->state == EndState::unconfirmed);
    CHECK(answered.report->gate.confirmation == judge::Confirmation::typed_name);
    CHECK(answered.shown == 2);
}
