#include "flow/run/launch.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <filesystem>
#include <thread>

#include "faulty_connector.hpp"
#include "flow/root_mark.hpp"
#include "run_stage.hpp"

using namespace drawhitch;
using model::VerdictKind;
using support::RunStage;

namespace {

std::size_t lines_in(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE("a launched run is confirmed from a second connection and recorded") {
    RunStage stage;
    auto options = RunStage::job("echo started; sleep 60", {"*.bin"});
    options.name = "first";
    options.variables = {{"HF_TOKEN", "hf_verysecret"}, {"NCCL_DEBUG", "WARN"}};
    const auto report = stage.launch(options);
    CHECK(report.confirmed);
    CHECK(report.verdict.kind == VerdictKind::running);
    CHECK(report.run.identity.pid > 1);
    const auto stored = stage.local().ledger().run_by_name(stage.lease().id, "first");
    REQUIRE(stored);
    CHECK(stored->confirmed);
    CHECK(stored->identity.pid == report.run.identity.pid);
    CHECK(stored->spec.code_hash == "abc0");
    CHECK(stored->spec.driver == "setsid");
    CHECK(stored->spec.env_shown == std::map<std::string, std::string>{{"NCCL_DEBUG", "WARN"}});
    REQUIRE(stored->spec.env_hashed.count("HF_TOKEN") == 1);
    CHECK(stored->spec.env_hashed.at("HF_TOKEN").find("verysecret") == std::string::npos);
    const std::string record = support::read_file(stage.run_file("first", "run.json"));
    CHECK(record.find("NCCL_DEBUG") != std::string::npos);
    CHECK(record.find("verysecret") == std::string::npos);
    CHECK(support::read_file(stage.run_file("first", "run.sh")).find("verysecret") == std::string::npos);
    const auto places = stage.local().ledger().volatile_files(stage.lease().id);
    REQUIRE(places);
    REQUIRE(places->size() == 1);
    CHECK(support::read_file(places->front().path).find("hf_verysecret") != std::string::npos);
}

TEST_CASE("runs without a name are numbered, and a taken name is refused with its id") {
    RunStage stage;
    CHECK(stage.launch(RunStage::job("sleep 60")).run.spec.name == "r1");
    CHECK(stage.launch(RunStage::job("sleep 60")).run.spec.name == "r2");
    auto again = RunStage::job("sleep 60");
    again.name = "r1";
    const auto refused = flow::launch(stage.op, stage.deps(), stage.lease(), again);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Code::exists);
    CHECK(refused.error().message.find("already running (id 1, RUNNING)") != std::string::npos);
}

TEST_CASE("two laptops that launch the same name at the same moment start one process") {
    RunStage here;
    RunStage there;
    model::Lease theirs = here.lease();
    theirs.id = 0;
    theirs.name = "same-box";
    REQUIRE(there.local().ledger().add_lease(theirs));
    const auto other = there.local().ledger().lease_by_name("same-box");
    REQUIRE(other);
    auto options = RunStage::job("echo ran >>../count; sleep 60");
    options.name = "exp1";
    std::optional<Result<flow::LaunchReport>> first;
    std::optional<Result<flow::LaunchReport>> second;
    {
        const model::Lease mine = here.lease();
        std::jthread a([&] { first = flow::launch(here.op, here.deps(), mine, options); });
        std::jthread b([&] { second = flow::launch(there.op, there.deps(), *other, options); });
    }
    CHECK(first->has_value() != second->has_value());
    const auto& lost = first->has_value() ? *second : *first;
    CHECK(lost.error().code == Code::exists);
    here.await_text("exp1", "count", "ran\n");
    CHECK(lines_in(support::read_file(here.run_file("exp1", "count"))) == 1);
}

TEST_CASE("whichever call of a launch fails, the job starts at most once and the next look knows", "[loop]") {
    for (std::size_t n = 1;; ++n) {
        RunStage stage;
        support::FaultPlan plan;
        plan.fail_at = n;
        support::FaultyConnector connector(plan);
        flow::Deps deps{stage.local().ledger(), connector,           stage.deps().helpers,
                        stage.deps().prompt,    stage.deps().laptop, stage.deps().project,
                        stage.deps().settings};
        auto options = RunStage::job("echo ran >>../count; sleep 60");
        options.name = "r1";
        support::HastyClock clock;
        const support::TestOp op(clock);
        const auto report = flow::launch(op, deps, stage.lease(), options);
        INFO("fault " << n << (report ? "" : ": " + report.error().message));
        const auto runs = stage.local().ledger().runs(stage.lease().id);
        REQUIRE(runs);
        if (report) {
            stage.await_text("r1", "count", "ran\n");
            CHECK(lines_in(support::read_file(stage.run_file("r1", "count"))) == 1);
            CHECK(stage.verdict("r1").kind == VerdictKind::running);
        }
        if (!plan.fired) break;
        REQUIRE(n < 500);
    }
}

TEST_CASE("what is wrong with a launch is found before anything is sent") {
    RunStage stage;
    const auto code = [&](const flow::LaunchOptions& options) {
        const auto report = flow::launch(stage.op, stage.deps(), stage.lease(), options);
        REQUIRE_FALSE(report);
        CHECK_FALSE(std::filesystem::exists(stage.local().root() + "/runs"));
        CHECK(stage.local().ledger().runs(stage.lease().id)->empty());
        return report.error().code;
    };
    CHECK(code({}) == Code::usage);
    auto options = RunStage::job("true");
    options.name = "../up";
    CHECK(code(options) == Code::usage);
    options = RunStage::job("true", {"a{b,c}"});
    CHECK(code(options) == Code::usage);
    options = RunStage::job("true");
    options.variables = {{"NOT A NAME", "x"}};
    CHECK(code(options) == Code::usage);
    options = RunStage::job("true");
    options.release = "ffff";
    CHECK(code(options) == Code::not_found);
}

TEST_CASE("a name that no file of the box could carry is refused before anything is sent or claimed") {
    RunStage stage;
    for (const std::size_t size : {std::size_t{101}, std::size_t{250}, std::size_t{120'000}}) {
        auto options = RunStage::job("true");
        options.name = std::string(size, 'n');
        const auto report = flow::launch(stage.op, stage.deps(), stage.lease(), options);
        REQUIRE_FALSE(report);
        CHECK(report.error().code == Code::usage);
    }
    // A project that was named before names had a limit leaves too little for a run's.
    auto lease = stage.lease();
    lease.project = std::string(240, 'p');
    CHECK(flow::launch(stage.op, stage.deps(), lease, RunStage::job("true")).error().code == Code::usage);
    CHECK(stage.local().ledger().runs(lease.id)->empty());
    auto options = RunStage::job("true");
    options.name = std::string(100, 'n');
    CHECK(flow::launch(stage.op, stage.deps(), stage.lease(), options));
}

TEST_CASE("another lease's mark under the root stops the launch") {
    RunStage stage;
    support::write_file(stage.local().root() + "/lease-nonce", "somebody else's\n");
    const auto report = flow::launch(stage.op, stage.deps(), stage.lease(), RunStage::job("true"));
    REQUIRE_FALSE(report);
    CHECK(report.error().code == Code::host_key);
}

TEST_CASE("a root that lost the mark we left there stops the launch") {
    RunStage stage;
    const auto lease = stage.lease();
    support::write_file(stage.local().root() + "/lease-nonce", lease.root_nonce + "\n");
    REQUIRE(flow::note_root_mark(stage.local().ledger(), lease));
    stage.launch(RunStage::job("true"));
    stage.await("r1", {VerdictKind::done, VerdictKind::artifacts_missing});
    std::filesystem::remove(stage.local().root() + "/lease-nonce");
    const bool gone = GENERATE(false, true);
    CAPTURE(gone);
    if (gone) std::filesystem::remove_all(stage.local().root());
    const auto report = flow::launch(stage.op, stage.deps(), lease, RunStage::job("true"));
    REQUIRE_FALSE(report);
    CHECK(report.error().code == Code::host_key);
    CHECK(stage.local().ledger().runs(lease.id)->size() == 1);
}

TEST_CASE("a command that does not exist is told at once") {
    RunStage stage;
    flow::LaunchOptions options;
    options.command = {"no-such-program-anywhere"};
    const auto report = stage.launch(options);
    const auto verdict = stage.await("r1", {VerdictKind::failed});
    CHECK(verdict.exit_code == 127);
    CHECK(verdict.cause == "command not found");
    CHECK(report.run.id == 1);
}

TEST_CASE("a run on a machine that another lease holds is told, with what lives there") {
    RunStage stage;
    stage.launch(RunStage::job("true"));
    const auto said = [&] {
        return stage.op.events().told(EventKind::warning, "is also held by lease b2 of project other, with x1");
    };
    CHECK_FALSE(said());
    auto other = stage.lease();
    other.name = "b2";
    other.project = "other";
    other.root += "-other";
    const auto added = stage.local().ledger().add_lease(other);
    REQUIRE(added);
    model::RunSpec spec;
    spec.name = "x1";
    spec.command = {"true"};
    REQUIRE(stage.local().ledger().claim_run(added->id, spec));
    stage.launch(RunStage::job("true"));
    CHECK(said());
}
