#include "core/judge/run_verdict.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace drawhitch;
using model::VerdictKind;

namespace {

constexpr std::int64_t k_start = 1'000'000;
const WallTime k_polled{2'000'000'000, 5};
const std::string k_boot = "d9f16440-f122-4610-ac12-b1a195d9b679";

// A run that was started at k_start and is looked at `age` seconds later; the builders change what a case is about.
struct Scene {
    model::PollFacts poll{};
    model::RunFacts run{};
    judge::RunHistory history{};
    judge::RunPolicy policy{};

    explicit Scene(std::int64_t age = 600) {
        poll.complete = true;
        poll.box.now = k_start + age;
        poll.box.boot_id = k_boot;
        poll.box.uptime = 86'400;
        poll.box.pid1_ticks = 10;
        run.name = "r1";
        run.directory = model::RunDirectory::present;
        run.processes_known = true;
        run.claimed = k_start - 1;
        model::StartRecord start;
        start.attempt = 1;
        start.token = "abc";
        start.pid = 4711;
        start.pgid = 4711;
        start.start_ticks = 5000;
        start.boot_id = k_boot;
        start.pid1_ticks = 10;
        start.started = k_start;
        start.oom_kills = 2;
        start.wrapper_pid = 4710;
        start.wrapper_ticks = 4990;
        run.start = start;
    }
    Scene& alive() {
        run.at_pid = model::ProcessFacts{4711, 'S', 4710, 4711, 4711, 0, 5000};
        run.at_wrapper_pid = model::ProcessFacts{4710, 'S', 1, 4710, 4710, 0, 4990};
        run.members = {*run.at_pid};
        return *this;
    }
    Scene& ended(std::optional<int> code, const std::string& signal = {}) {
        model::ExitRecord exit;
        exit.attempt = 1;
        exit.token = "abc";
        exit.code = code;
        exit.signal = signal;
        exit.stage = "job";
        exit.started = k_start;
        exit.ended = k_start + 100;
        exit.oom_before = 2;
        exit.oom_after = 2;
        run.exit = exit;
        return *this;
    }
    Scene& must(const std::string& pattern, std::uint64_t count, std::uint64_t newer, bool known = true) {
        policy.roster.push_back({pattern, model::RosterClass::must});
        run.artifacts.push_back({known, count, count * 10, newer, k_start + 50});
        return *this;
    }
    Scene& step(std::int64_t number) {
        run.progress.step = number;
        run.log_mtime = *poll.box.now;
        return *this;
    }
    // Judges, and stands at the next look, `later` seconds on.
    model::Verdict judge(std::int64_t later = 0) {
        auto judged = judge::judge_run(poll, run, history, policy, k_polled);
        history = judged.history;
        poll.box.now = *poll.box.now + later;
        return judged.verdict;
    }
};

bool told(const model::Verdict& verdict, std::string_view text) {
    for (const std::string& line : verdict.evidence) {
        if (line.find(text) != std::string::npos) return true;
    }
    return false;
}

}  // namespace

TEST_CASE("a script that is not found because its interpreter ends in a carriage return is told so") {
    Scene scene;
    scene.ended(127);
    scene.run.exit->script = "cr";
    const auto verdict = scene.judge();
    CHECK(verdict.cause == "the script's interpreter ends in a carriage return");
    CHECK(told(verdict, "push --fix-eol"));
    Scene other;
    other.ended(1);
    other.run.exit->script = "cr";
    CHECK(other.judge().cause == "exit code 1");
}

TEST_CASE("evidence tells moments, which stay true however late they are read") {
    const auto verdict = Scene().ended(0).must("*.bin", 1, 1).judge();
    bool moment = false;
    for (const std::string& line : verdict.evidence) {
        CHECK(line.find(" ago") == std::string::npos);
        moment = moment || line.find("1 file, the newest written at 20") != std::string::npos;
    }
    CHECK(moment);
}

TEST_CASE("only an exit record and fresh artifacts make a run DONE") {
    const auto verdict = Scene().ended(0).must("*.bin", 3, 2).judge();
    CHECK(verdict.kind == VerdictKind::done);
    CHECK(verdict.exit_code == 0);
    CHECK(verdict.since == WallTime{k_polled.seconds - 500, 5});
    CHECK(Scene().ended(0).judge().kind == VerdictKind::done);
    CHECK(Scene().ended(0).must("*.bin", 0, 0).judge().kind == VerdictKind::artifacts_missing);
    CHECK(Scene().ended(0).must("*.bin", 3, 0).judge().kind == VerdictKind::artifacts_missing);
    CHECK(Scene().ended(0).must("a", 1, 1).must("b", 0, 0).judge().kind == VerdictKind::artifacts_missing);
    CHECK(Scene().ended(0).must("*.bin", 0, 0, false).judge().kind == VerdictKind::unknown);
    Scene nice;
    nice.ended(0);
    nice.policy.roster = {{"*.png", model::RosterClass::nice}};
    nice.run.artifacts = {{true, 0, 0, 0, 0}};
    CHECK(nice.judge().kind == VerdictKind::done);
}

TEST_CASE("a run whose processes outlive its exit code is DONE-BUT-UP") {
    Scene scene;
    scene.ended(0).must("*.bin", 0, 0);
    scene.run.carriers = {5000};
    CHECK(scene.judge().kind == VerdictKind::done_but_up);
    scene.run.carriers.clear();
    scene.run.members = {{4800, 'S', 1, 4711, 4711, 0, 6000}};
    CHECK(scene.judge().kind == VerdictKind::done_but_up);
    scene.run.members[0].state = 'Z';
    CHECK(scene.judge().kind == VerdictKind::artifacts_missing);
    // The number was given to a stranger, who leads a group of the same number now.
    scene.run.members[0].state = 'S';
    scene.run.at_pid = model::ProcessFacts{4711, 'S', 1, 4711, 4711, 0, 900'000};
    CHECK(scene.judge().kind == VerdictKind::artifacts_missing);
}

TEST_CASE("five causes of the same empty log are told apart") {
    SECTION("reboot") {
        Scene scene;
        scene.poll.box.boot_id = "11111111-2222-3333-4444-555555555555";
        scene.poll.box.uptime = 240;
        const auto verdict = scene.judge();
        CHECK(verdict.kind == VerdictKind::lost_at_reboot);
        CHECK(verdict.cause == "the box rebooted");
        CHECK(told(verdict, "uptime 4 min"));
        CHECK(verdict.since == WallTime{k_polled.seconds - 240, 5});
    }
    SECTION("out of memory") {
        Scene scene;
        scene.ended(std::nullopt, "KILL").run.exit->oom_after = 3;
        const auto verdict = scene.judge();
        CHECK(verdict.kind == VerdictKind::failed);
        CHECK(verdict.cause == "oom");
        CHECK(told(verdict, "went from 2 to 3"));
        scene.ended(137).run.exit->oom_after = 3;
        CHECK(scene.judge().cause == "oom");
        scene.ended(1).run.exit->oom_after = 3;
        CHECK(scene.judge().cause == "oom in a process of the run");
    }
    SECTION("137 without the counter is a kill by hand") {
        const auto verdict = Scene().ended(std::nullopt, "KILL").judge();
        CHECK(verdict.cause == "killed by KILL");
        CHECK(verdict.signal == "KILL");
        CHECK(told(verdict, "memory-kill counter unchanged (2)"));
        CHECK(Scene().ended(137).judge().cause == "exit code 137");
    }
    SECTION("hangup") {
        CHECK(Scene().ended(std::nullopt, "HUP").judge().cause == "hangup");
    }
    SECTION("a loaded host is no cause of anything") {
        Scene scene;
        scene.alive().poll.box.load = 490;
        const auto verdict = scene.judge();
        CHECK(verdict.kind == VerdictKind::running);
        CHECK(told(verdict, "load 490 is the whole host's"));
    }
}

TEST_CASE("a signal that hit the wrapper, too, was meant for everything") {
    Scene scene;
    scene.ended(std::nullopt, "TERM").run.exit->caught = {"TERM"};
    const auto verdict = scene.judge();
    CHECK(verdict.cause == "killed by TERM");
    CHECK(told(verdict, "preemption"));
}

TEST_CASE("a record of the end that the wrapper cannot have written says nothing") {
    for (const std::optional<int> code : {std::optional{0}, std::optional{3}}) {
        Scene scene;
        scene.alive().ended(code).run.ended_before = true;
        const auto verdict = scene.judge();
        CHECK(verdict.kind == VerdictKind::running);
        CHECK_FALSE(verdict.exit_code);
        CHECK(verdict.evidence.front().find("while its process 4711 lives") != std::string::npos);
        // It may have ended between the look at the process and the one at the record.
        scene.run.ended_before = false;
        CHECK(scene.judge().kind != VerdictKind::running);
        // The number is a stranger's by now, or the box restarted.
        scene.run.ended_before = true;
        scene.run.at_pid->start_ticks = 900'000;
        CHECK(scene.judge().kind != VerdictKind::running);
    }
    Scene other;
    other.alive().ended(0).run.exit->token = "xyz";
    CHECK(other.judge().kind == VerdictKind::running);
    Scene gone;
    gone.ended(0).run.exit->token = "xyz";
    CHECK(gone.judge().kind != VerdictKind::done);
}

TEST_CASE("a stage is believed with the code that goes with it alone") {
    Scene scene;
    scene.ended(1).run.exit->stage = "stopped";
    CHECK(scene.judge().cause == "exit code 1");
    scene.ended(0).run.exit->stage = "nonsense";
    CHECK(scene.judge().kind == VerdictKind::failed);
    CHECK(scene.judge().cause == "its record says code 0, of no job that it knows");
}

TEST_CASE("what failed before the job is named") {
    Scene scene;
    scene.ended(125);
    for (const auto& [stage, cause] :
         std::vector<std::pair<std::string, std::string>>{{"activate", "the activation line failed"},
                                                          {"environment", "the environment file was gone"},
                                                          {"work", "the work tree could not be entered"},
                                                          {"stopped", "it never began; its launch was given up"}}) {
        scene.run.exit->stage = stage;
        CHECK(scene.judge().cause == cause);
    }
    // A code of 0 from a stage that is no job proves nothing.
    scene.ended(0).run.exit->stage = "activate";
    CHECK(scene.judge().kind == VerdictKind::failed);
    CHECK(Scene().ended(127).judge().cause == "command not found");
    Scene full;
    full.ended(1).poll.box.bytes_free = 4096;
    CHECK(full.judge().cause == "disk full");
    full.poll.box.bytes_free = 1ULL << 40U;
    full.poll.box.inodes_free = 0;
    CHECK(full.judge().cause == "disk full");
}

TEST_CASE("silence is no death") {
    const auto kind = [](auto change) {
        Scene scene;
        change(scene);
        return scene.judge().kind;
    };
    CHECK(kind([](Scene& s) { s.run.directory = model::RunDirectory::unknown; }) == VerdictKind::unknown);
    CHECK(kind([](Scene& s) { s.run.directory = model::RunDirectory::no_root; }) == VerdictKind::unknown);
    CHECK(kind([](Scene& s) { s.run.directory = model::RunDirectory::absent; }) == VerdictKind::unknown);
    CHECK(kind([](Scene& s) { s.run.processes_known = false; }) == VerdictKind::unknown);
    CHECK(kind([](Scene& s) { s.poll.box.boot_id.clear(); }) == VerdictKind::unknown);
    CHECK(kind([](Scene& s) { s.run.unreadable_record = true; }) == VerdictKind::unknown);
    // The wrapper still lives: it is about to write the record.
    CHECK(kind([](Scene& s) { s.alive().run.at_pid->state = 'Z'; }) == VerdictKind::running);
    // Others of the group live on.
    CHECK(kind([](Scene& s) { s.run.members = {{4800, 'S', 1, 4711, 4711, 0, 6000}}; }) == VerdictKind::unknown);
}

TEST_CASE("gone with its wrapper on the same boot is dead, and a recycled number does not hide it") {
    Scene scene;
    auto verdict = scene.judge();
    CHECK(verdict.kind == VerdictKind::failed);
    CHECK(verdict.cause == "killed together with its wrapper, by an unknown hand");
    CHECK_FALSE(verdict.exit_code);
    scene.run.at_pid = model::ProcessFacts{4711, 'R', 1, 4711, 4711, 0, 777'777};
    scene.run.members = {*scene.run.at_pid};
    verdict = scene.judge();
    CHECK(verdict.kind == VerdictKind::failed);
    CHECK(told(verdict, "belongs to another process"));
    scene.run.oom_kills = 3;
    CHECK(scene.judge().cause == "oom");
    // Nobody collects the dead in this container.
    Scene zombies;
    zombies.alive().run.at_pid->state = 'Z';
    zombies.run.at_wrapper_pid->state = 'Z';
    zombies.run.members = {*zombies.run.at_pid};
    CHECK(zombies.judge().kind == VerdictKind::failed);
}

TEST_CASE("a restarted container is told from a reboot") {
    Scene scene;
    scene.alive().poll.box.pid1_ticks = 99;
    const auto verdict = scene.judge();
    CHECK(verdict.kind == VerdictKind::lost_at_reboot);
    CHECK(verdict.cause == "the container was restarted");
}

TEST_CASE("a record of an earlier attempt says nothing about this one") {
    Scene scene;
    scene.ended(0);
    scene.policy.attempt = 2;
    scene.run.claimed = k_start + 590;
    CHECK(scene.judge().kind == VerdictKind::starting);
    scene.run.exit->attempt = 2;
    CHECK(scene.judge().kind == VerdictKind::done);
}

TEST_CASE("a claim is STARTING for a while, then unknown, never failed") {
    Scene scene(10);
    scene.run.start.reset();
    CHECK(scene.judge(60).kind == VerdictKind::starting);
    const auto verdict = scene.judge();
    CHECK(verdict.kind == VerdictKind::unknown);
    CHECK(verdict.cause == "it was claimed and never started");
    scene.run.claimed.reset();
    CHECK(scene.judge().kind == VerdictKind::unknown);
}

TEST_CASE("a run without a step and without an artifact for too long is STALLED, and recovers") {
    Scene scene(60);
    scene.alive().step(1);
    CHECK(scene.judge(600).kind == VerdictKind::running);
    scene.step(2);
    CHECK(scene.judge(1700).kind == VerdictKind::running);
    // The log is busy, the step stands still.
    scene.run.log_mtime = *scene.poll.box.now;
    CHECK(scene.judge(200).kind == VerdictKind::running);
    auto verdict = scene.judge();
    CHECK(verdict.kind == VerdictKind::stalled);
    CHECK(verdict.since == WallTime{k_polled.seconds - 1900, 5});
    scene.step(3);
    CHECK(scene.judge().kind == VerdictKind::running);
}

TEST_CASE("the limit follows the longest gap the run itself has shown") {
    Scene scene(60);
    scene.alive().step(1);
    (void)scene.judge(1500);
    scene.step(2);
    (void)scene.judge(4000);
    CHECK(scene.judge(600).kind == VerdictKind::running);
    CHECK(scene.judge().kind == VerdictKind::stalled);
}

TEST_CASE("one look at a run that hangs after its last artifact is enough") {
    Scene scene(7200);
    scene.alive().must("*.bin", 4, 4);
    CHECK(scene.judge().kind == VerdictKind::stalled);
    Scene fresh(7200);
    fresh.alive().must("*.bin", 4, 4).run.artifacts[0].newest = k_start + 7100;
    CHECK(fresh.judge().kind == VerdictKind::running);
}

TEST_CASE("a run that never showed progress is not called stalled") {
    Scene scene(100'000);
    scene.alive().run.log_mtime = k_start;
    const auto verdict = scene.judge();
    CHECK(verdict.kind == VerdictKind::running);
    CHECK(told(verdict, "no step and no artifact seen yet"));
}

TEST_CASE("progress that goes backwards is told, a new epoch is not") {
    Scene scene;
    scene.alive().step(30'899);
    (void)scene.judge(10);
    scene.step(308);
    CHECK(told(scene.judge(), "PROGRESS WENT BACKWARDS (30899 -> 308)"));
    Scene epochs;
    epochs.alive().step(900).run.progress.epoch = 1;
    (void)epochs.judge(10);
    epochs.step(3).run.progress.epoch = 2;
    CHECK_FALSE(told(epochs.judge(), "BACKWARDS"));
}

TEST_CASE("ages never come out negative when the box's clock is set back") {
    Scene scene;
    scene.alive().step(5);
    (void)scene.judge(-100'000);
    const auto verdict = scene.judge();
    CHECK(verdict.kind == VerdictKind::running);
    CHECK(verdict.since == k_polled);
    CHECK(scene.history.progress_at == scene.poll.box.now);
}

TEST_CASE("no answer leaves proven ends alone and makes all else UNREACHABLE since the last contact") {
    model::Verdict last;
    last.kind = VerdictKind::running;
    last.progress = "step 3";
    const auto verdict = judge::judge_unreachable(last, WallTime{77, 0}, "connection refused");
    CHECK(verdict.kind == VerdictKind::unreachable);
    CHECK(verdict.since == WallTime{77, 0});
    CHECK(verdict.progress == "step 3");
    CHECK(told(verdict, "last seen RUNNING at 1970-01-01T00:01:17Z"));
    for (const auto kind : {VerdictKind::done, VerdictKind::failed, VerdictKind::artifacts_missing,
                            VerdictKind::lost_at_reboot, VerdictKind::preempted}) {
        last.kind = kind;
        CHECK(judge::judge_unreachable(last, std::nullopt, "x").kind == kind);
    }
}

TEST_CASE("strays are the living processes outside of the recorded group") {
    Scene scene;
    scene.alive().run.members.push_back({4712, 'S', 4711, 4711, 4711, 0, 5001});
    scene.run.members.push_back({4713, 'S', 4711, 4713, 4711, 0, 5002});
    scene.run.carriers = {4711, 4712, 4713, 9000};
    CHECK(judge::living_processes(scene.run) == std::vector<std::int64_t>{4711, 4712, 4713, 9000});
    CHECK(judge::strays(scene.run) == std::vector<std::int64_t>{4713, 9000});
}
