#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <csignal>
#include <filesystem>
#include <thread>

#include "box.hpp"
#include "core/parse/survey.hpp"
#include "core/plan/survey_script.hpp"

using namespace drawhitch;
using support::FakeBox;

namespace {

model::ProcessSurvey survey(const FakeBox& box, std::int64_t since, const std::string& proc = "/proc") {
    plan::SurveySpec spec{};
    spec.nonce = support::k_nonce;
    spec.since = since;
    spec.roots.proc = proc;
    const auto ran = box.script(plan::survey_script(spec));
    return parse::survey(ran.out, support::k_nonce);
}

// By value, one without a name when it is not there: a pointer makes the optimizer warn about paths no test takes.
model::BoxProcess find(const model::ProcessSurvey& survey, std::int64_t pid) {
    for (const auto& process : survey.processes)
        if (process.pid == pid) return process;
    return {};
}

// A /proc with processes of our own making.
struct FakeProc {
    support::TempDir dir{};
    FakeProc() { support::write_file(dir / "stat", "cpu 1 2 3\nbtime 1700000000\n"); }
    void add(int pid, const std::string& name, int ticks, const std::string& cmdline, const std::string& environ = {},
             const std::string& state = "S", const std::string& flags = "0", const std::string& threads = "1") const {
        const std::string folder = dir / std::to_string(pid);
        std::filesystem::create_directories(folder);
        support::write_file(folder + "/stat", std::to_string(pid) + " (" + name + ") " + state + " 1 2 3 0 -1 " +
                                                  flags + " 0 0 0 0 1 1 0 0 20 0 " + threads + " 0 " +
                                                  std::to_string(ticks) + " 0 0\n");
        support::write_file(folder + "/comm", name + "\n");
        support::write_file(folder + "/cmdline", cmdline);
        support::write_file(folder + "/environ", environ);
        std::filesystem::create_directory_symlink("/data/some where", folder + "/cwd");
    }
};

std::string nul(std::initializer_list<std::string> words) {
    std::string text{};
    for (const auto& word : words)
        text += word + std::string(1, '\0');
    return text;
}

}  // namespace

TEST_CASE("the survey tells name, script, place, age and run of our processes, and no argument") {
    const auto& shell = GENERATE(from_range(support::shells()));
    CAPTURE(shell.name);
    const FakeBox box{shell};
    const FakeProc proc{};
    proc.add(100, "python3", 5000, nul({"python3", "-u", "/w/train.py", "--token=hunter2"}),
             nul({"HOME=/x", "DRAWHITCH_RUN_TOKEN=7f3a", "SECRET=hunter2"}));
    proc.add(101, "sh", 6000, nul({"sh", "-c", "while :; do hunter2; done"}));
    proc.add(102, "odd ) name", 7000, nul({"odd"}));
    proc.add(103, "older", 100, nul({"older"}));
    // However old: what carries a run's token is somebody's run.
    proc.add(104, "older", 100, nul({"older"}), nul({"DRAWHITCH_RUN_TOKEN=0a"}));
    plan::SurveySpec spec{};
    spec.nonce = support::k_nonce;
    spec.since = 1'700'000'010;
    spec.roots.proc = proc.dir.path();
    const auto ran = box.script(plan::survey_script(spec));
    CHECK(ran.out.find("hunter2") == std::string::npos);
    const auto seen = parse::survey(ran.out, support::k_nonce);
    INFO(ran.out << ran.err);
    CHECK(seen.complete);
    CHECK(seen.booted.seconds == 1'700'000'000);
    REQUIRE(seen.processes.size() == 4);
    CHECK(find(seen, 104).token == "0a");
    const auto job = find(seen, 100);
    CHECK(job.name == "python3");
    CHECK(job.script == "train.py");
    CHECK(job.token == "7f3a");
    CHECK(job.directory == "/data/some where");
    CHECK(job.started.seconds == 1'700'000'050);
    CHECK(find(seen, 101).script == "-c");
    CHECK(find(seen, 102).name == "odd ) name");
}

TEST_CASE("names that would break the lines of a survey are told without what breaks them") {
    const auto& shell = GENERATE(from_range(support::shells()));
    CAPTURE(shell.name);
    const FakeBox box{shell};
    const FakeProc proc{};
    proc.add(100, "two\nprocess=7", 5000, nul({"python3", "/w/a\ntoken=00\x1b[31m.py"}),
             nul({"A=1\nDRAWHITCH_RUN_TOKEN=bad", "DRAWHITCH_RUN_TOKEN=not hex"}));
    proc.add(101, "long", 6000, nul({"python3", std::string(9000, 'x')}));
    proc.add(102, "", 6000, "");
    const auto seen = survey(box, 1'700'000'010, proc.dir.path());
    CHECK(seen.complete);
    REQUIRE(seen.processes.size() == 3);
    const auto odd = find(seen, 100);
    CHECK(odd.name == "two?process=7");
    CHECK(odd.script == "a?token=00?[31m.py");
    CHECK(odd.token.empty());
    CHECK(find(seen, 101).script.size() == 4096);
    CHECK(find(seen, 102).name.empty());
}

TEST_CASE("the survey tells what a process writes to, by descriptor or through memory") {
    const auto& shell = GENERATE(from_range(support::shells()));
    CAPTURE(shell.name);
    const FakeBox box{shell};
    const FakeProc proc{};
    proc.add(100, "sh", 5000, nul({"sh"}));
    const std::string folder = proc.dir / "100";
    std::filesystem::create_directories(folder + "/fd");
    support::write_file(folder + "/maps",
                        "7f00-7f01 r-xp 00000000 fe:00 12 /usr/lib/libc.so\n"
                        "7f02-7f03 rw-s 00000000 fe:00 13                 /data/mapped one\n"
                        "7f04-7f05 rw-p 00000000 00:00 0 \n");
    // The mode of such a link tells how the file is open; ours are open both ways.
    std::filesystem::create_symlink("/data/out/model.pt (deleted)", folder + "/fd/3");
    std::filesystem::create_symlink("/dev/null", folder + "/fd/1");
    std::filesystem::create_symlink("pipe:[77]", folder + "/fd/2");
    const auto seen = survey(box, 1'700'000'010, proc.dir.path());
    REQUIRE(seen.complete);
    CHECK(find(seen, 100).writes == std::vector<std::string>{"/data/out/model.pt (deleted)", "/data/mapped one"});
}

TEST_CASE("the survey tells nothing of files that a process only reads") {
    const FakeBox box{support::shell_named("dash")};
    const support::TempDir dir;
    support::write_file(dir / "read", "x");
    const std::string command = "exec 3<'" + (dir / "read") + "' 4>'" + (dir / "written") + "'; exec sleep 60";
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        ::execlp("sh", "sh", "-c", command.c_str(), nullptr);
        ::_exit(127);
    }
    while (!std::filesystem::exists(dir / "written"))
        std::this_thread::yield();
    const auto seen = survey(box, system_clock().wall().seconds - 3600);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const auto& writes = find(seen, child).writes;
    CHECK(std::ranges::find(writes, dir / "written") != writes.end());
    CHECK(std::ranges::find(writes, dir / "read") == writes.end());
}

TEST_CASE("a process on its way out is none, and one whose first thread ended is alive") {
    const auto& shell = GENERATE(from_range(support::shells()));
    CAPTURE(shell.name);
    const FakeBox box{shell};
    const FakeProc proc{};
    const std::string leaving = "4194308";  // PF_RANDOMIZE | PF_EXITING
    proc.add(100, "sleep", 5000, "", "", "R", leaving);
    proc.add(101, "python3", 5000, nul({"python3", "train.py"}), "", "Z", leaving, "3");
    proc.add(102, "sh", 5000, "", "", "Z", leaving);
    const auto seen = survey(box, 1'700'000'010, proc.dir.path());
    CHECK(seen.complete);
    CHECK(find(seen, 100).pid == 0);
    CHECK(find(seen, 101).pid == 101);
    CHECK_FALSE(find(seen, 101).zombie);
    CHECK(find(seen, 102).zombie);
}

TEST_CASE("the survey sees a real process of ours, and knows itself") {
    const auto& shell = GENERATE(from_range(support::shells()));
    CAPTURE(shell.name);
    const FakeBox box{shell};
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        ::execlp("sleep", "sleep", "60", nullptr);
        ::_exit(127);
    }
    // The clock ticks in hundredths and the survey in seconds: ask from well before.
    const auto seen = survey(box, system_clock().wall().seconds - 3600);
    ::kill(child, SIGKILL);
    CHECK(seen.complete);
    CHECK(find(seen, child).pid == child);
    bool itself = false;
    for (const auto& process : seen.processes)
        itself = itself || process.survey;
    CHECK(itself);
}

TEST_CASE("a survey that cannot know is not complete") {
    const auto& shell = GENERATE(from_range(support::shells()));
    CAPTURE(shell.name);
    const FakeBox box{shell};
    const FakeProc proc{};
    std::filesystem::remove(proc.dir / "stat");
    CHECK_FALSE(survey(box, 0, proc.dir.path()).complete);
    CHECK_FALSE(survey(box, 0, "/does/not/exist").complete);
}
