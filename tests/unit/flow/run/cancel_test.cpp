// Cancelling: whichever call to the box is under way, a verb asks the box next to nothing more and sleeps on no other
// token. With a step that ends when it is cancelled (tests/contract), that bounds how long Ctrl-C takes, without a
// watch.
#include <catch2/catch_test_macros.hpp>
#include <functional>

#include "flow/pull.hpp"
#include "flow/run/launch.hpp"
#include "flow/run/logs.hpp"
#include "flow/run/stop.hpp"
#include "flow/run/watch.hpp"
#include "io/transport/local.hpp"
#include "run_stage.hpp"
#include "support/finished_run.hpp"

using namespace drawhitch;
using support::RunStage;
using support::TestOp;

namespace {

constexpr std::size_t k_most_calls = 24;  // a follower never ends by itself
constexpr std::size_t k_calls_after = 2;  // the step that tells of the cancel, and the end of what was begun

// Cancels at the n-th call to the box, and counts on.
struct Plan {
    Cancel& cancel;
    std::size_t cancel_at{0};
    std::size_t calls{0};

    void count() {
        if (++calls == cancel_at) cancel.request();
    }
    [[nodiscard]] std::size_t after() const { return calls > cancel_at ? calls - cancel_at : 0; }
};

class CountedProcess final : public transport::Process {
  public:
    CountedProcess(std::unique_ptr<transport::Process> inner, Plan& plan) : inner_(std::move(inner)), plan_(plan) {}
    Result<transport::Step> step(const Op& op, std::string_view outgoing, bool end_of_input) override {
        plan_.count();
        return inner_->step(op, outgoing, end_of_input);
    }

  private:
    std::unique_ptr<transport::Process> inner_{};
    Plan& plan_;
};

class CountedTransport final : public transport::Transport {
  public:
    explicit CountedTransport(Plan& plan) : plan_(plan) {}
    Result<std::unique_ptr<transport::Process>> exec(const Op& op, const transport::BoxCommand& command) override {
        plan_.count();
        TRY_ASSIGN(auto inner, local_.exec(op, command));
        return std::unique_ptr<transport::Process>(std::make_unique<CountedProcess>(std::move(inner), plan_));
    }
    [[nodiscard]] std::string describe() const override { return "this machine, counted"; }

  private:
    Plan& plan_;
    transport::LocalTransport local_{};
};

class CountedConnector final : public flow::Connector {
  public:
    explicit CountedConnector(Plan& plan) : plan_(plan) {}
    Result<std::unique_ptr<transport::Transport>> to(const Op&, const model::Lease&) override {
        return std::unique_ptr<transport::Transport>(std::make_unique<CountedTransport>(plan_));
    }

  private:
    Plan& plan_;
};

// Nobody waits on it; a sleep that the user's cancel would not end is counted.
class WatchfulClock final : public Clock {
  public:
    explicit WatchfulClock(const Cancel*& users) : users_(users) {}
    Instant now() const override { return system_clock().now(); }
    WallTime wall() const override { return system_clock().wall(); }
    void sleep(milliseconds, const Cancel& cancel) override {
        if (&cancel != users_) ++deaf;
    }
    int deaf{0};

  private:
    const Cancel*& users_;
};

using Verb = std::function<Status(const Op&, flow::Deps&)>;

// Returns how many calls were tried before the verb ended by itself, or the most.
std::size_t cancel_everywhere(flow::Deps& deps, const Verb& verb) {
    for (std::size_t n = 1; n < k_most_calls; ++n) {
        CAPTURE(n);
        const Cancel* users = nullptr;
        WatchfulClock clock{users};
        TestOp op{clock, milliseconds{600'000}};
        users = &op.cancel();
        Plan plan{op.cancel(), n};
        CountedConnector connector{plan};
        flow::Deps counted{deps.ledger, connector, deps.helpers, deps.prompt, deps.laptop, deps.project, deps.settings};
        const Status ended = verb(op, counted);
        CHECK(clock.deaf == 0);
        if (plan.calls < n) return n;
        CHECK(plan.after() <= k_calls_after);
        if (!ended) CHECK(ended.error().code == Code::cancelled);
    }
    return k_most_calls;
}

Status status_of(const auto& result) {
    return result ? ok() : Status{result.error()};
}

}  // namespace

TEST_CASE("a cancelled launch asks the box for nothing more", "[loop]") {
    RunStage stage;
    int number = 0;
    cancel_everywhere(stage.deps(), [&](const Op& op, flow::Deps& deps) {
        auto options = RunStage::job("exec sleep 60");
        options.name = "c" + std::to_string(++number);
        options.share_gpus = true;
        return status_of(flow::launch(op, deps, stage.lease(), options));
    });
    CHECK(number > 3);
}

TEST_CASE("cancelled looks, watches and followed logs ask the box for nothing more", "[loop]") {
    RunStage stage;
    stage.launch(RunStage::job("echo line; exec sleep 60"));
    const auto line = [](std::string_view) { return ok(); };
    CHECK(cancel_everywhere(stage.deps(), [&](const Op& op, flow::Deps& deps) {
              return status_of(flow::view_runs(op, deps, stage.lease(), ""));
          }) > 2);
    CHECK(cancel_everywhere(stage.deps(), [&](const Op& op, flow::Deps& deps) {
              return status_of(flow::watch_runs(op, deps, stage.lease(), {}, [](const auto&, bool) {}));
          }) == k_most_calls);
    CHECK(cancel_everywhere(stage.deps(), [&](const Op& op, flow::Deps& deps) {
              return status_of(flow::read_log(op, deps, stage.lease(), {.follow = true}, line));
          }) == k_most_calls);
}

TEST_CASE("a cancelled stop leaves the grace it was given, and asks the box for nothing more", "[loop]") {
    RunStage stage;
    int number = 0;
    cancel_everywhere(stage.deps(), [&](const Op& op, flow::Deps& deps) {
        auto options = RunStage::job("trap '' TERM; echo deaf; while :; do sleep 1; done");
        options.name = "s" + std::to_string(++number);
        options.share_gpus = true;
        stage.launch(options);
        stage.await_text(options.name, "log", "deaf");
        if (number > 6) return ok();
        return status_of(
            flow::stop_run(op, deps, stage.lease(), {.run = options.name, .grace = std::chrono::hours{1}}));
    });
    CHECK(number > 6);
}

TEST_CASE("a cancelled pull asks the box for nothing more", "[loop]") {
    support::FinishedRun bench;
    bench.put("out/a.bin", std::string(100'000, 'a'));
    bench.claim({{"out/**", model::RosterClass::must}});
    int number = 0;
    CHECK(
        cancel_everywhere(bench.local.deps(), [&](const Op& op, flow::Deps& deps) {
            return status_of(flow::pull(
                op, deps,
                {.box = "b1", .run = "r1", .to = bench.local.project_directory() + "/to" + std::to_string(++number)}));
        }) > 3);
}
