// What a pull says when less comes than somebody expected, and what it leaves when nothing comes.
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

#include "core/plan/manifest.hpp"
#include "flow/pull.hpp"
#include "io/ledger/lock.hpp"
#include "support/faulty_transport.hpp"
#include "support/finished_run.hpp"
#include "support/private_sshd.hpp"
#include "support/transfer_bench.hpp"

#include "io/transport/local.hpp"

using namespace drawhitch;
using model::RosterClass;
using support::FinishedRun;

namespace {

bool exists(const std::string& path) {
    struct stat found {};
    return ::lstat(path.c_str(), &found) == 0;
}

// Every connection to the box fails where the plan says.
class FaultyConnector final : public flow::Connector {
  public:
    explicit FaultyConnector(support::FaultPlan& plan) : plan_(plan) {}
    Result<std::unique_ptr<transport::Transport>> to(const Op&, const model::Lease&) override {
        return std::unique_ptr<transport::Transport>{std::make_unique<Faulty>(plan_)};
    }

  private:
    class Faulty final : public transport::Transport {
      public:
        explicit Faulty(support::FaultPlan& plan) : faulty_(local_, plan) {}
        Result<std::unique_ptr<transport::Process>> exec(const Op& op, const transport::BoxCommand& command) override {
            return faulty_.exec(op, command);
        }
        [[nodiscard]] std::string describe() const override { return faulty_.describe(); }

      private:
        transport::LocalTransport local_{};
        support::FaultyTransport faulty_;
    };
    support::FaultPlan& plan_;
};

flow::Deps with(flow::Connector& connector, flow::Deps& deps) {
    return {deps.ledger, connector, deps.helpers, deps.prompt, deps.laptop, deps.project, deps.settings};
}

}  // namespace

TEST_CASE("a run without a roster is pulled with a problem that says how to get the rest") {
    FinishedRun bench;
    bench.put("out/model.bin", "weights");
    bench.claim({});
    const auto report = bench.pull();
    CHECK(report.no_roster);
    REQUIRE(report.problem);
    CHECK(report.problem->code == Code::skipped);
    CHECK(report.problem->next == "drawhitch pull b1 r1 --out '**'");
    CHECK(report.receipt);
    flow::PullOptions all{};
    all.all = true;
    const auto whole = bench.pull(all);
    CHECK(!whole.problem);
    CHECK(exists(bench.there() + "/out/model.bin"));
}

TEST_CASE("a run declared as scratch needs no roster") {
    FinishedRun bench;
    model::RunSpec spec{};
    spec.name = "r1";
    spec.command = {"true"};
    spec.run_dir = bench.run_dir;
    spec.work_dir = bench.run_dir + "/work";
    spec.scratch = true;
    REQUIRE(bench.local.ledger().claim_run(bench.lease.id, spec));
    const auto report = bench.pull();
    CHECK_FALSE(report.no_roster);
    CHECK(!report.problem);
}

TEST_CASE("a roster pattern that matches nothing is named, by its class") {
    FinishedRun bench;
    bench.put("out/a.bin", "a");
    bench.claim({{"out/**", RosterClass::must},
                 {"best/*.pt", RosterClass::must},
                 {"plots/", RosterClass::nice},
                 {"cache/**", RosterClass::scratch}});
    const auto report = bench.pull();
    REQUIRE(report.unmatched.size() == 2);
    CHECK(report.unmatched[0].pattern == "best/*.pt");
    CHECK(report.unmatched[1].pattern == "plots/");
    REQUIRE(report.problem);
    CHECK(report.problem->code == Code::skipped);
    CHECK(report.problem->message.find("\"best/*.pt\"") != std::string::npos);
    CHECK(report.problem->message.find("plots") == std::string::npos);
    CHECK(report.receipt->files.size() == 3);

    flow::PullOptions nice{};
    nice.classes = {RosterClass::nice};
    CHECK(flow::pull(bench.op, bench.local.deps(), {.box = "b1", .run = "r1", .patterns = {}, .classes = nice.classes})
              .error()
              .code == Code::not_found);
    // Somebody who asks for one thing is not told of others.
    CHECK(!bench.pull({.box = {}, .run = {}, .patterns = {"out/**"}}).problem);
}

TEST_CASE("of several patterns behind the run, the one that matches nothing is named") {
    FinishedRun bench;
    bench.put("out/a.bin", "a");
    bench.put("other/b.bin", "b");
    bench.claim({{"out/**", RosterClass::must}});
    const auto report = bench.pull({.box = {}, .run = {}, .patterns = {"out/**", "other/**"}});
    REQUIRE(report.problem);
    CHECK(report.problem->code == Code::skipped);
    CHECK(report.problem->message.find("\"other/**\"") != std::string::npos);
    CHECK(report.problem->next == "drawhitch pull b1 r1 --out 'other/**'");
    const auto none = flow::pull(bench.op, bench.local.deps(), {.box = "b1", .run = "r1", .patterns = {"other/**"}});
    REQUIRE(!none);
    CHECK(none.error().next == "drawhitch pull b1 r1 --out 'other/**'");
}

TEST_CASE("whichever call of the link fails once, a whole pull ends right", "[loop]") {
    FinishedRun bench;
    bench.put("out/a.bin", support::noise(3'000'000, 1));
    bench.put("out/b.txt", "text");
    bench.claim({{"out/**", RosterClass::must}});
    support::HastyClock clock;
    const std::string to = bench.local.project_directory() + "/fresh/deep";
    for (std::size_t n = 1;; ++n) {
        INFO("call " << n);
        support::TestOp op{clock};
        support::FaultPlan plan{n};
        FaultyConnector connector{plan};
        flow::Deps deps = with(connector, bench.local.deps());
        const auto report = flow::pull(op, deps, {.box = "b1", .run = "r1", .to = to});
        REQUIRE(report);
        CHECK(!report->problem);
        CHECK(support::read_file(to + "/out/a.bin") == support::noise(3'000'000, 1));
        CHECK_FALSE(exists(to + "/.drawhitch"));
        support::run_tool({"rm", "-rf", bench.local.project_directory() + "/fresh"});
        if (!plan.fired) break;
    }
}

TEST_CASE("a link that dies for good in the first look leaves nothing") {
    FinishedRun bench;
    bench.put("out/b.txt", "text");
    bench.claim({{"out/**", RosterClass::must}});
    support::HastyClock clock;
    // Later calls may fall into the data, depending on how the answers of the look happen to be cut.
    for (std::size_t n = 1; n < 8; ++n) {
        INFO("call " << n);
        support::TestOp op{clock};
        support::FaultPlan plan{.fail_at = n, .persistent = true};
        FaultyConnector connector{plan};
        flow::Deps deps = with(connector, bench.local.deps());
        const auto report = flow::pull(op, deps, {.box = "b1", .run = "r1"});
        if (!plan.fired) break;  // how many calls a pull makes depends on how its bytes happen to arrive
        if (report) continue;    // it came to the data, where parts may stay
        CHECK(report.error().code == Code::link_lost);
        CHECK_FALSE(exists(bench.local.project_directory() + "/pulls"));
    }
}

TEST_CASE("a pull that brings nothing leaves a fresh directory as it was") {
    FinishedRun bench;
    bench.put("out/A", "1");
    bench.put("out/a", "2");
    bench.claim({{"out/**", RosterClass::must}});
    flow::PullOptions options{};
    options.box = "b1";
    options.run = "r1";
    options.names = parse::NameRules{.ignores_case = true};
    const auto refused = flow::pull(bench.op, bench.local.deps(), options);
    REQUIRE(!refused);
    CHECK_FALSE(exists(bench.local.project_directory() + "/pulls"));
}

TEST_CASE("one pull works in a directory at a time, whatever its run") {
    FinishedRun bench;
    bench.put("out/a", "1");
    bench.claim({{"out/**", RosterClass::must}});
    const std::string to = bench.local.project_directory() + "/to";
    REQUIRE(::mkdir(to.c_str(), 0700) == 0);
    {
        const auto lock = ledger::FileLock::pull_target(bench.op, bench.local.ledger().state_dir(), to, "another pull");
        REQUIRE(lock);
        const auto second = flow::pull(bench.op, bench.local.deps(), {.box = "b1", .run = "r1", .to = to});
        REQUIRE(!second);
        CHECK(second.error().code == Code::locked);
        CHECK(second.error().message.find("another pull") != std::string::npos);
        CHECK_FALSE(exists(to + "/.drawhitch"));
        CHECK_FALSE(exists(to + "/MANIFEST.json"));
    }
    CHECK(flow::pull(bench.op, bench.local.deps(), {.box = "b1", .run = "r1", .to = to}));
}

TEST_CASE("what another run's interrupted pull left gives no leave to overwrite") {
    FinishedRun bench;
    bench.put("out/a", "from the box");
    bench.claim({{"out/**", RosterClass::must}});
    const std::string to = bench.local.project_directory() + "/to";
    support::run_tool({"mkdir", "-p", to + "/.drawhitch/pull-0123456789abcdef", to + "/out"});
    support::write_file(to + "/out/a", "only copy");
    const auto refused = flow::pull(bench.op, bench.local.deps(), {.box = "b1", .run = "r1", .to = to});
    REQUIRE(!refused);
    CHECK(refused.error().code == Code::exists);
    CHECK(support::read_file(to + "/out/a") == "only copy");
}
