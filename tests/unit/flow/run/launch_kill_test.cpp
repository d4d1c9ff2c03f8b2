// A launch killed at each of its writing system calls (those of the ledger, and what it sends to the box), and called
// again: whatever was reached, exactly one job runs under that name, and `ps` sees it.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <thread>

#include "core/judge/run_verdict.hpp"
#include "faulty_connector.hpp"
#include "flow/run/launch.hpp"
#include "flow/run/poll.hpp"
#include "flow/run/stop.hpp"
#include "run_stage.hpp"
#include "support/syscall_faults.hpp"

using namespace drawhitch;
using model::VerdictKind;
using support::LocalDeps;
using support::RunStage;

namespace {

constexpr std::size_t k_most_calls = 2000;

// Every n-th call, from a random one on; each single one with DRAWHITCH_LONG.
struct Calls {
    std::size_t stride{1};
    std::size_t first{1};

    explicit Calls(std::size_t usual) : stride(std::getenv("DRAWHITCH_LONG") != nullptr ? 1 : usual) {
        if (stride > 1) first = 1 + std::random_device{}() % stride;
    }
};

std::size_t lines_in(const std::string& path) {
    if (!std::filesystem::exists(path)) return 0;
    const std::string text = support::read_file(path);
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// A box and a laptop's state on disk, with nothing of them open in this process between two calls.
struct Desk {
    support::TempDir dir{};
    support::TestOp op{system_clock(), milliseconds{600'000}};
    std::int64_t lease{0};

    Desk() {
        LocalDeps local(op, dir.path());
        lease = local.adopt("b1").id;
        std::filesystem::create_directories(local.root() + "/releases/abc0");
        support::write_file(local.root() + "/releases/abc0/train.py", "print('hello')\n");
        support::write_file(local.root() + "/current", "abc0\n");
    }

    static flow::LaunchOptions job(const std::string& name) {
        auto options = RunStage::job("echo ran >>../count; exec sleep 60", {"*.bin"});
        options.name = name;
        options.variables = {{"HF_TOKEN", "hf_verysecret"}};
        return options;
    }

    Result<flow::LaunchReport> launch(const std::string& name) {
        LocalDeps local(op, dir.path());
        TRY_ASSIGN(const auto found, local.ledger().lease(lease));
        return flow::launch(op, local.deps(), found, job(name));
    }

    // In a process of its own, killed at its n-th writing call; false when it ended before.
    bool killed_launch(const std::string& name, std::size_t n) {
        const pid_t child = ::fork();
        if (child == 0) {
            support::SyscallFaults::kill_at(n);
            const bool good = launch(name).has_value();
            support::SyscallFaults::disarm();
            ::_exit(good ? 0 : 3);
        }
        int status = 0;
        REQUIRE(::waitpid(child, &status, 0) == child);
        if (!WIFSIGNALED(status)) REQUIRE(WEXITSTATUS(status) == 0);
        return WIFSIGNALED(status);
    }

    // What `ps` sees, and the end of what it saw.
    void check_one_job(const std::string& name) {
        LocalDeps local(op, dir.path());
        const auto found = local.ledger().lease(lease);
        // Before the job begins its wrapper has helpers of its own.
        const std::string count = local.root() + "/runs/" + name + "/count";
        while (lines_in(count) == 0)
            std::this_thread::yield();
        const auto view = flow::view_runs(op, local.deps(), *found, name);
        REQUIRE(view);
        REQUIRE(view->runs.size() == 1);
        const flow::RunView& run = view->runs.front();
        INFO(run.verdict.cause);
        CHECK(run.verdict.kind == VerdictKind::running);
        CHECK(run.run.identity.pid > 1);
        CHECK(run.run.spec.code_hash == "abc0");
        CHECK(lines_in(count) == 1);
        CHECK(judge::living_processes(*run.facts).size() == 1);
        ::kill(static_cast<pid_t>(-run.run.identity.pgid), SIGKILL);
        const auto files = local.ledger().volatile_files(lease);
        REQUIRE(files);
        for (const auto& file : *files)
            std::filesystem::remove(file.path);
    }
};

}  // namespace

TEST_CASE("a launch killed anywhere is finished by the same call, and one job runs", "[loop]") {
    Desk desk;
    std::size_t refused = 0;
    const Calls calls(7);
    for (std::size_t n = calls.first;; n += calls.stride) {
        const std::string name = "k" + std::to_string(n);
        const bool killed = desk.killed_launch(name, n);
        INFO("killed at call " << n);
        if (killed) {
            const auto again = desk.launch(name);
            INFO((again ? "" : again.error().message));
            // Once the job was recorded, the name is taken by a run that everybody sees.
            if (!again) {
                ++refused;
                CHECK(again.error().code == Code::exists);
                CHECK(again.error().message.find("already running") != std::string::npos);
            }
        }
        desk.check_one_job(name);
        if (!killed) break;
        REQUIRE(n < k_most_calls);
    }
    if (calls.stride == 1) CHECK(refused > 0);  // else the call that shows it may have been passed over
}

TEST_CASE("the same words without a name go on with a launch whose answer was lost", "[loop]") {
    RunStage stage;
    const auto job = RunStage::job("echo ran >>../count; exec sleep 60", {"*.bin"});
    bool lost_and_alive = false;
    const Calls calls(5);
    for (std::size_t n = calls.first;; n += calls.stride) {
        support::FaultPlan plan;
        plan.fail_at = n;
        plan.persistent = true;
        support::FaultyConnector connector(plan);
        flow::Deps& deps = stage.deps();
        flow::Deps cut{deps.ledger, connector, deps.helpers, deps.prompt, deps.laptop, deps.project, deps.settings};
        support::HastyClock clock;
        const support::TestOp op(clock);
        const auto first = flow::launch(op, cut, stage.lease(), job);
        INFO("cut off at " << n);
        const auto before = stage.local().ledger().runs(stage.lease().id);
        REQUIRE(before);
        const std::string name = before->back().spec.name;
        if (!first) {
            const auto again = stage.launch(job);
            CHECK(again.run.spec.name == name);
            // The first launch may still be at work on the box: then the run is seen before its record is.
            CHECK((again.verdict.kind == VerdictKind::running || again.verdict.kind == VerdictKind::starting));
            stage.await(name, {VerdictKind::running});
            lost_and_alive = lost_and_alive || again.found;
            CHECK(stage.local().ledger().runs(stage.lease().id)->size() == before->size());
        }
        stage.await_text(name, "count", "ran\n");
        CHECK(lines_in(stage.run_file(name, "count")) == 1);
        const auto view = flow::view_runs(stage.op, stage.deps(), stage.lease(), name);
        REQUIRE(view);
        ::kill(static_cast<pid_t>(-view->runs.front().run.identity.pgid), SIGKILL);
        stage.await(name, {VerdictKind::failed});
        if (!plan.fired) break;
        REQUIRE(n < k_most_calls);
    }
    if (calls.stride == 1) CHECK(lost_and_alive);
}

TEST_CASE("another laptop's run is never taken for a claim of the same name") {
    RunStage here;
    RunStage there;
    model::Lease theirs = here.lease();
    theirs.id = 0;
    theirs.name = "same-box";
    REQUIRE(there.local().ledger().add_lease(theirs));
    const auto other = there.local().ledger().lease_by_name("same-box");
    REQUIRE(other);
    auto options = RunStage::job("exec sleep 60");
    options.name = "exp1";
    // Ours: killed between the claim here and the claim on the box.
    REQUIRE(here.local().ledger().set_note(here.lease().id, "run.token.exp1", std::string(32, 'a')));
    model::RunSpec spec;
    spec.name = "exp1";
    spec.command = options.command;
    spec.run_dir = here.run_file("exp1", "");
    spec.run_dir.pop_back();
    REQUIRE(here.local().ledger().claim_run(here.lease().id, spec));
    const auto report = flow::launch(there.op, there.deps(), *other, options);
    REQUIRE(report);

    const auto seen = here.verdict("exp1");
    CHECK(seen.kind == VerdictKind::unknown);
    CHECK(seen.cause.find("another laptop's run") != std::string::npos);
    CHECK(here.local().ledger().run_by_name(here.lease().id, "exp1")->identity.pid == 0);
    SECTION("stopping it gives the claim up and signals nobody") {
        REQUIRE(flow::stop_run(here.op, here.deps(), here.lease(), {.run = "exp1"}));
    }
    SECTION("starting it is refused") {
        const auto refused = flow::launch(here.op, here.deps(), here.lease(), options);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == Code::exists);
    }
    CHECK(here.local().ledger().runs(here.lease().id)->empty());
    const auto alive = flow::view_runs(there.op, there.deps(), *other, "exp1");
    REQUIRE(alive);
    CHECK(alive->runs.front().verdict.kind == VerdictKind::running);
    ::kill(static_cast<pid_t>(-report->run.identity.pgid), SIGKILL);
}

TEST_CASE("a claim that never reached the box can be stopped, and never starts later") {
    RunStage stage;
    model::RunSpec spec;
    spec.name = "r1";
    spec.command = {"true"};
    spec.run_dir = stage.run_file("r1", "");
    spec.run_dir.pop_back();
    REQUIRE(stage.local().ledger().set_note(stage.lease().id, "run.token.r1", std::string(32, 'a')));
    REQUIRE(stage.local().ledger().claim_run(stage.lease().id, spec));
    const auto report = flow::stop_run(stage.op, stage.deps(), stage.lease(), {.run = "r1"});
    REQUIRE(report);
    CHECK(model::is_terminal(report->view.verdict.kind));
    auto options = RunStage::job("true");
    options.name = "r1";
    const auto refused = flow::launch(stage.op, stage.deps(), stage.lease(), options);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("has ended") != std::string::npos);
}

TEST_CASE("a box that was never reached leaves no claim behind") {
    RunStage stage;
    support::FaultPlan plan;
    plan.fail_at = 1;
    plan.persistent = true;
    plan.error = Error{Code::refused, Retry::never, "nobody listens (injected)"};
    support::FaultyConnector connector(plan);
    flow::Deps& deps = stage.deps();
    flow::Deps cut{deps.ledger, connector, deps.helpers, deps.prompt, deps.laptop, deps.project, deps.settings};
    REQUIRE_FALSE(flow::launch(stage.op, cut, stage.lease(), RunStage::job("true")));
    CHECK(stage.local().ledger().runs(stage.lease().id)->empty());
}
