#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <csignal>
#include <filesystem>

#include "box.hpp"

using namespace drawhitch;
using support::FakeBox;
using support::Shell;

namespace {

struct End {
    std::string script{};
    std::optional<int> code{};
    std::string signal{};
};

std::vector<std::string> sh(const std::string& script) {
    return {"sh", "-c", script};
}

}  // namespace

TEST_CASE("the wrapper records the true exit code or signal under every shell") {
    const Shell& shell = GENERATE(from_range(support::shells()));
    const std::vector<End> ends{
        {"exit 0", 0, ""},
        {"exit 3", 3, ""},
        {"exit 125", 125, ""},
        {"exit 130", 130, ""},
        {"exit 137", 137, ""},
        {"exit 143", 143, ""},
        {"exit 255", 255, ""},
        {"kill -KILL $$", std::nullopt, "KILL"},
        {"kill -TERM $$", std::nullopt, "TERM"},
        {"kill -HUP $$", std::nullopt, "HUP"},
        {"kill -SEGV $$", std::nullopt, "SEGV"},
        {"kill -PIPE $$", std::nullopt, "PIPE"},
        {"sleep 0.2; kill -KILL $$", std::nullopt, "KILL"},
        {"sleep 0.2; exit 137", 137, ""},
    };
    FakeBox box(shell);
    int number = 0;
    for (const End& end : ends) {
        const std::string name = "r" + std::to_string(++number);
        box.write_wrapper(box.lay_out(name, sh(end.script)));
        box.supervise(name);
        INFO(shell.name << ": " << end.script);
        const auto record = box.exit(name);
        REQUIRE(record);
        CHECK(record->code == end.code);
        CHECK(record->signal == end.signal);
        CHECK(record->sure);
        CHECK(record->stage == "job");
        CHECK(record->attempt == 1);
    }
}

TEST_CASE("the command's words arrive exactly as given") {
    const Shell& shell = GENERATE(from_range(support::shells()));
    FakeBox box(shell);
    const std::vector<std::string> words{"it's",
                                         "a \"b\" $HOME `id` \\",
                                         "",
                                         "two\nlines\n.\nend",
                                         "\xff\xfe\x80",
                                         "*",
                                         "a  b\t c",
                                         "-n",
                                         "\n.\n",
                                         "~",
                                         "x=y",
                                         "\n"};
    auto command = sh("printf '[%s]' \"$@\"");
    command.emplace_back("sh");
    command.insert(command.end(), words.begin(), words.end());
    box.write_wrapper(box.lay_out("r1", command));
    box.supervise("r1");
    std::string expected;
    for (const auto& word : words)
        expected += "[" + word + "]";
    CHECK(box.log("r1") == expected);
    CHECK(box.exit("r1")->code == 0);
}

TEST_CASE("the job gets its environment, its work tree and no input, and what the user set stays") {
    const Shell& shell = GENERATE(from_range(support::shells()));
    FakeBox box(shell);
    auto spec =
        box.lay_out("r1", sh("cat; pwd; echo \"$PLAIN|$PYTHONUNBUFFERED|$NCCL|$OMP_NUM_THREADS|$MKL_NUM_THREADS|"
                             "$DRAWHITCH_RUN|${LC_ALL-none}|$ACTIVE\"; ls /proc/self/fd | wc -l"));
    spec.defaults = {{"PYTHONUNBUFFERED", "1"}, {"NCCL", "ours"}};
    spec.threads = 4;
    spec.activate = "ACTIVE=yes; export ACTIVE";

    SECTION("defaults fill what nobody set") {
        box.write_wrapper(spec, {{"PLAIN", "it's\n'quoted' $HOME"}, {"LC_ALL", "C.UTF-8"}});
        box.supervise("r1");
        CHECK(box.log("r1").find(spec.work_dir + "\nit's\n'quoted' $HOME|1|ours|4|4|r1|C.UTF-8|yes\n") == 0);
    }
    SECTION("one thread variable of the user's keeps our hands off all of them") {
        box.write_wrapper(spec, {{"OMP_NUM_THREADS", "2"}, {"NCCL", "mine"}, {"PYTHONUNBUFFERED", ""}});
        box.supervise("r1");
        CHECK(box.log("r1").find(spec.work_dir + "\n||mine|2||r1|none|yes\n") == 0);
    }
}

TEST_CASE("the run's record has the environment that the job really got, and no value that could be a secret") {
    const Shell& shell = GENERATE(from_range(support::shells()));
    FakeBox box(shell);
    auto spec = box.lay_out("r1", sh("echo \"$OMP_NUM_THREADS $NCCL_DEBUG\""));
    spec.defaults = {{"PYTHONUNBUFFERED", "1"}, {"NCCL_DEBUG", "ours"}};
    spec.threads = 4;
    spec.record = {"LR", "MY_API_KEY"};
    spec.activate = "PYTHONHASHSEED=7; HF_HOME='/data/m\xc3\xbc'; export PYTHONHASHSEED HF_HOME";
    box.write_wrapper(spec, {{"NCCL_DEBUG", "it \"is\" \\mine"},
                             {"TOKENIZERS_PARALLELISM", "false"},
                             {"NCCL_MY_TOKEN", "hidden1"},
                             {"HF_TOKEN", "hidden2"},
                             {"MY_API_KEY", "hidden3"},
                             {"LR", "0.1\nOMP_EVIL=1"},
                             {"OTHER", "hidden4"}});
    const std::string record = spec.run_dir + "/run.json";
    support::write_file(record, "{\n  \"name\": \"r1\"\n}\n");
    box.supervise("r1");
    CHECK(box.log("r1") == "4 it \"is\" \\mine\n");
    const std::string text = support::read_file(record);
    CAPTURE(text);
    CHECK(text.starts_with("{\n  \"name\": \"r1\",\n  \"env_at_start\": {"));
    CHECK(text.ends_with("\n  }\n}\n"));
    for (const char* line :
         {R"("DRAWHITCH_RUN": "r1")", R"("MKL_NUM_THREADS": "4")", R"("NCCL_DEBUG": "it \"is\" \\mine")",
          R"("OMP_NUM_THREADS": "4")", R"("PYTHONHASHSEED": "7")", R"("PYTHONUNBUFFERED": "1")",
          R"("TOKENIZERS_PARALLELISM": "false")", R"("LR": {"b64":"MC4xCk9NUF9FVklMPTE="})",
          R"("HF_HOME": {"b64":"L2RhdGEvbcO8"})"}) {
        CAPTURE(line);
        CHECK(text.find(std::string{"\n    "} + line) != std::string::npos);
    }
    for (const char* hidden : {"hidden", "EVIL", "TOKEN\"", "OTHER"})
        CHECK(text.find(hidden) == std::string::npos);
    CHECK((std::filesystem::status(record).permissions() & std::filesystem::perms::group_read) ==
          std::filesystem::perms::none);
    CHECK_FALSE(std::filesystem::exists(record + ".new"));
}

TEST_CASE("a job can be interrupted in good order although it runs in the background") {
    const Shell& shell = GENERATE(from_range(support::shells()));
    if (!shell.can_reset_signals) {
        SUCCEED("a box with nothing but busybox has no tool that could");
        return;
    }
    FakeBox box(shell);
    box.write_wrapper(box.lay_out("r1", sh("trap 'exit 7' INT; kill -INT $$; exit 0")));
    box.supervise("r1");
    CHECK(box.exit("r1")->code == 7);
}

TEST_CASE("what fails before the job is told apart from the job") {
    const Shell& shell = GENERATE(from_range(support::shells()));
    FakeBox box(shell);
    auto spec = box.lay_out("r1", sh("echo ran"));
    std::string stage;
    SECTION("activation") {
        spec.activate = "false";
        box.write_wrapper(spec);
        stage = "activate";
    }
    SECTION("environment file gone") {
        box.write_wrapper(spec);
        REQUIRE(::unlink(spec.environment_file.c_str()) == 0);
        stage = "environment";
    }
    SECTION("work tree gone") {
        spec.work_dir = box.root() + "/nowhere";
        box.write_wrapper(spec);
        stage = "work";
    }
    box.supervise("r1");
    CHECK(box.log("r1").find("ran") == std::string::npos);
    REQUIRE(box.exit("r1"));
    CHECK(box.exit("r1")->stage == stage);
    CHECK(box.exit("r1")->code == 125);
}

TEST_CASE("a command that does not exist ends with 127") {
    const Shell& shell = GENERATE(from_range(support::shells()));
    FakeBox box(shell);
    box.write_wrapper(box.lay_out("r1", {"no-such-program-anywhere", "x"}));
    box.supervise("r1");
    CHECK(box.exit("r1")->code == 127);
}

TEST_CASE("a script whose interpreter ends in a carriage return is named in the record, and only then") {
    const Shell& shell = GENERATE(from_range(support::shells()));
    FakeBox box(shell);
    const std::vector<std::pair<std::string, std::string>> scripts{
        {"#!/bin/sh\r\necho\r\n", "cr"}, {"#!/no/such\n", ""}, {std::string{"\0#!/bin/sh\r", 11}, ""}};
    int number = 0;
    for (const auto& [text, wanted] : scripts) {
        for (const auto& command : std::vector<std::vector<std::string>>{{"./my go.sh"}, sh("./go.sh; exit 127")}) {
            const std::string name = "r" + std::to_string(++number);
            const auto spec = box.lay_out(name, command);
            for (const char* file : {"/my go.sh", "/go.sh"})
                support::write_file(spec.work_dir + file, text, 0755);
            box.write_wrapper(spec);
            box.supervise(name);
            INFO(shell.name << ": " << text);
            const auto record = box.exit(name);
            REQUIRE(record);
            CHECK(record->script == wanted);
        }
    }
}

TEST_CASE("of several wrappers started at the same moment exactly one runs the job") {
    const Shell& shell = GENERATE(from_range(support::shells()));
    FakeBox box(shell);
    box.write_wrapper(box.lay_out("r1", sh("echo ran; sleep 0.3")));
    std::vector<int> pids;
    for (int i = 0; i < 6; ++i)
        pids.push_back(box.start_supervising("r1"));
    for (int pid : pids)
        CHECK(support::wait_for(pid).code == 0);
    CHECK(box.log("r1") == "ran\n");
}

TEST_CASE("a signal that hits the wrapper is recorded and does not end the job") {
    const Shell& shell = GENERATE(from_range(support::shells()));
    const int number = GENERATE(SIGTERM, SIGHUP);
    FakeBox box(shell);
    const std::string go = box.root() + "/go";
    box.write_wrapper(box.lay_out("r1", sh("while [ ! -e '" + go + "' ]; do sleep 0.05; done; exit 4")));
    const int pid = box.start_supervising("r1");
    box.await(box.run_file("r1", "start.json"));
    ::kill(pid, number);
    support::write_file(go, "");
    CHECK(support::wait_for(pid).code == 0);
    const auto record = box.exit("r1");
    INFO(shell.name);
    REQUIRE(record);
    CHECK(record->code == 4);
    CHECK(record->caught == std::vector<std::string>{number == SIGTERM ? "TERM" : "HUP"});
}

TEST_CASE("the record names the job's process, group, session and boot") {
    const Shell& shell = GENERATE(from_range(support::shells()));
    FakeBox box(shell);
    box.write_wrapper(
        box.lay_out("r1", sh("sed 's/.*) //' /proc/$$/stat; echo $$; cat /proc/sys/kernel/random/boot_id")));
    box.supervise("r1");
    const auto start = box.start("r1");
    REQUIRE(start);
    CHECK(start->pgid == start->pid);
    CHECK(start->token == box.token_of("r1"));
    CHECK(start->log_offset == 0);
    const std::string log = box.log("r1");
    CHECK(log.find("\n" + std::to_string(start->pid) + "\n" + start->boot_id + "\n") != std::string::npos);
    CHECK(log.find(" " + std::to_string(start->pgid) + " " + std::to_string(start->pid) + " ") != std::string::npos);
    CHECK(log.find(" " + std::to_string(start->start_ticks) + " ") != std::string::npos);
}

TEST_CASE("memory kills are counted before and after, in both kinds of control group") {
    const Shell& shell = GENERATE(from_range(support::shells()));
    FakeBox box(shell);
    support::TempDir fake;
    for (const char* directory : {"proc/self", "proc/sys/kernel/random", "cg/a/b", "cg/memory/m"})
        std::filesystem::create_directories(fake / directory);
    support::write_file(fake / "proc/sys/kernel/random/boot_id", "11111111-2222-3333-4444-555555555555\n");
    box.roots = {fake / "proc", fake / "cg"};
    std::string counter;
    SECTION("version 2") {
        support::write_file(fake / "proc/self/cgroup", "0::/a/b\n");
        counter = fake / "cg/a/b/memory.events";
        support::write_file(counter, "low 0\noom 0\noom_kill 2\n");
    }
    SECTION("version 1") {
        support::write_file(fake / "proc/self/cgroup", "5:cpu:/x\n4:memory:/m\n");
        counter = fake / "cg/memory/m/memory.oom_control";
        support::write_file(counter, "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
    }
    box.write_wrapper(box.lay_out("r1", sh("sed -i 's/oom_kill 2/oom_kill 3/' " + counter + "; kill -KILL $$")));
    box.supervise("r1");
    const auto record = box.exit("r1");
    REQUIRE(record);
    CHECK(record->signal == "KILL");
    CHECK(record->oom_before == 2);
    CHECK(record->oom_after == 3);
}
