#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <csignal>
#include <filesystem>
#include <thread>

#include "base/time.hpp"
#include "box.hpp"
#include "core/judge/run_verdict.hpp"
#include "core/judge/threads.hpp"
#include "core/parse/cpu_facts.hpp"
#include "core/parse/framed.hpp"
#include "core/parse/prepare_answer.hpp"
#include "core/parse/run_probe.hpp"

using namespace drawhitch;
using support::FakeBox;
using support::Shell;

namespace {

std::vector<std::string> sh(const std::string& script) {
    return {"sh", "-c", script};
}

std::string section(const support::Ran& ran, std::string_view name) {
    const auto sections = parse::framed(ran.out, support::k_nonce);
    const auto* found = sections.find(name);
    INFO(ran.out << ran.err);
    REQUIRE(found);
    return found->body;
}

bool has_line(const std::string& body, const std::string& line) {
    return ("\n" + body + "\n").find("\n" + line + "\n") != std::string::npos;
}

unsigned long inode(const std::string& path) {
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    return status.st_ino;
}

// A /proc and /sys/fs/cgroup of a made-up box.
struct FakeRoots {
    support::TempDir dir{};
    plan::BoxRoots roots{dir / "proc", dir / "cg"};

    void file(const std::string& path, const std::string& content) const {
        const std::string full = dir / path;
        std::filesystem::create_directories(full.substr(0, full.rfind('/')));
        support::write_file(full, content);
    }
};

}  // namespace

TEST_CASE("preparing claims the name and gives the run a writable copy of the release") {
    const Shell& shell = GENERATE(from_range(support::shells()));
    FakeBox box(shell);
    auto spec = box.prepare_spec("r1");
    spec.persist = {"data", "src"};
    spec.links = {{"sets/imagenet", "/somewhere/else"}, {"home", "~/x"}};
    const auto ran = box.prepare(spec);
    const std::string body = section(ran, "prepare");
    CHECK(ran.code == 0);
    CHECK(has_line(body, "claim=ours"));
    CHECK(has_line(body, "work=ready"));
    CHECK(has_line(body, "kept=src"));
    const std::string work = box.run_file("r1", "work");
    CHECK(support::read_file(work + "/train.py") == "print('hello')\n");
    CHECK(inode(work + "/train.py") != inode(box.root() + "/releases/abc/train.py"));
    struct stat status {};
    REQUIRE(::stat((work + "/src/tool").c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0755);
    CHECK(std::filesystem::read_symlink(work + "/data") == box.root() + "/shared/data");
    CHECK(std::filesystem::read_symlink(work + "/sets/imagenet") == "/somewhere/else");
    CHECK(has_line(section(ran, "volatile"),
                   "volatile=" + box.volatile_dir() + "/drawhitch-" + std::to_string(::getuid())));
    CHECK(parse::framed(ran.out, support::k_nonce).finished);
}

TEST_CASE("of eight claims at the same moment exactly one wins") {
    const Shell& shell = GENERATE(from_range(support::shells()));
    FakeBox box(shell);
    std::vector<support::Ran> answers(8);
    {
        std::vector<std::jthread> claimants;
        for (std::size_t i = 0; i < answers.size(); ++i) {
            auto spec = box.prepare_spec("r1");
            spec.token = std::string(32, static_cast<char>('a' + i % 6)) + std::to_string(i);
            claimants.emplace_back([&box, &answers, i, spec] { answers[i] = box.prepare(spec); });
        }
    }
    std::size_t winners = 0;
    std::size_t losers = 0;
    for (const auto& answer : answers) {
        const std::string body = section(answer, "prepare");
        winners += static_cast<std::size_t>(has_line(body, "claim=ours"));
        losers += static_cast<std::size_t>(has_line(body, "refused=taken"));
    }
    CHECK(winners == 1);
    CHECK(losers == 7);
}

TEST_CASE("a launch whose answer was lost may claim again, another one may not") {
    const Shell& shell = GENERATE(from_range(support::shells()));
    FakeBox box(shell);
    REQUIRE(has_line(section(box.prepare(box.prepare_spec("r1")), "prepare"), "claim=ours"));
    const auto again = box.prepare(box.prepare_spec("r1"));
    CHECK(again.code == 0);
    CHECK(has_line(section(again, "prepare"), "claim=again"));
    auto other = box.prepare_spec("r1");
    other.token = "ffffffffffffffff";
    CHECK(has_line(section(box.prepare(other), "prepare"), "refused=taken"));
}

TEST_CASE("without its release nothing is claimed") {
    const Shell& shell = GENERATE(from_range(support::shells()));
    FakeBox box(shell);
    auto spec = box.prepare_spec("r1");
    spec.release = "def";
    CHECK(has_line(section(box.prepare(spec), "prepare"), "refused=no-release"));
    CHECK_FALSE(box.exists(box.root() + "/runs/r1"));
}

TEST_CASE("thread shares follow the control group, however the box sets it up") {
    const Shell& shell = GENERATE(from_range(support::shells()));
    FakeBox box(shell);
    FakeRoots fake;
    fake.file("proc/self/status", "Name:\tsh\nCpus_allowed_list:\t0-63\n");
    fake.file("proc/self/cgroup", "0::/\n");
    int expected = 64;
    int runs = 1;
    SECTION("version 2 quota") {
        fake.file("cg/cpu.max", "400000 100000\n");
        expected = 4;
    }
    SECTION("version 2 without a limit") {
        fake.file("cg/cpu.max", "max 100000\n");
    }
    SECTION("version 1 quota of -1 leaves the affinity") {
        fake.file("proc/self/cgroup", "3:cpu,cpuacct:/x\n");
        fake.file("cg/cpu,cpuacct/x/cpu.cfs_quota_us", "-1\n");
        fake.file("cg/cpu,cpuacct/x/cpu.cfs_period_us", "100000\n");
        fake.file("proc/self/status", "Cpus_allowed_list:\t0-15,32-39\n");
        expected = 24;
    }
    SECTION("version 1 quota in a container that sees only its own root") {
        fake.file("proc/self/cgroup", "3:cpuacct,cpu:/docker/abc\n");
        fake.file("cg/cpu/cpu.cfs_quota_us", "600000\n");
        fake.file("cg/cpu/cpu.cfs_period_us", "100000\n");
        expected = 6;
    }
    SECTION("half a CPU still gets one thread") {
        fake.file("cg/cpu.max", "50000 100000\n");
        expected = 1;
    }
    SECTION("version 2 cpuset") {
        fake.file("cg/cpuset.cpus.effective", "0-3\n");
        expected = 4;
    }
    SECTION("version 1 cpuset") {
        fake.file("proc/self/cgroup", "2:cpuset:/y\n3:cpu:/y\n");
        fake.file("cg/cpuset/y/cpuset.cpus", "8-11\n");
        expected = 4;
    }
    SECTION("the tightest of nested groups counts") {
        fake.file("proc/self/cgroup", "0::/a/b/c\n");
        fake.file("cg/a/b/c/cpu.max", "1600000 100000\n");
        fake.file("cg/a/b/cpu.max", "250000 50000\n");
        fake.file("cg/a/cpu.max", "max 100000\n");
        expected = 5;
    }
    SECTION("four jobs on one box share") {
        fake.file("cg/cpu.max", "1600000 100000\n");
        runs = 4;
        expected = 4;
    }
    box.roots = fake.roots;
    const auto ran = box.prepare(box.prepare_spec("r1"));
    INFO(shell.name << "\n" << ran.out);
    const auto cpu = parse::cpu_facts(section(ran, "cpu"));
    CHECK(judge::thread_share(cpu, runs, 1, {"python", "train.py"}).threads == expected);
}

TEST_CASE("a started job lives in a session of its own while the launch has long returned") {
    const Shell& shell = GENERATE(from_range(support::shells()));
    FakeBox box(shell);
    std::string job;
    SECTION("a quiet job") {
        job = "sleep 60";
    }
    SECTION("a job that floods its output") {
        job = "yes 0123456789012345678901234567890123456789 | head -c 30000000; sleep 60";
    }
    SECTION("a job that leaves a daemon behind which keeps all descriptors") {
        job = "setsid sleep 61 & sleep 60";
    }
    const Instant before = system_clock().now();
    const auto ran = box.launch("r1", sh(job));
    const auto took = std::chrono::duration_cast<milliseconds>(system_clock().now() - before);
    INFO(shell.name << ran.out << ran.err);
    CHECK(ran.code == 0);
    // The script gives up after two seconds; a job that held its streams would hold it for a minute.
    CHECK(took < milliseconds{20'000});
    model::RunFacts facts;
    parse::read_records(section(ran, "start"), facts);
    REQUIRE(facts.start);
    const auto seen = box.facts("r1");
    REQUIRE(seen.at_pid);
    CHECK(seen.at_pid->start_ticks == facts.start->start_ticks);
    CHECK(seen.at_pid->session == seen.start->pid);
    CHECK(seen.at_pid->group == seen.start->pgid);
    CHECK(seen.at_pid->parent == seen.start->wrapper_pid);
    REQUIRE(seen.at_wrapper_pid);
    CHECK(seen.at_wrapper_pid->start_ticks == seen.start->wrapper_ticks);
    CHECK(seen.at_wrapper_pid->parent != ::getpid());
    for (std::int64_t pid : seen.carriers) {
        if (pid != seen.start->pid) ::kill(static_cast<pid_t>(pid), SIGKILL);
    }
}

TEST_CASE("a start is waited for no longer than three seconds, whatever the job does") {
    const Shell& shell = GENERATE(from_range(support::shells()));
    FakeBox box(shell);
    const plan::WrapperSpec wrapper = box.lay_out("r1", {"true"});
    plan::StartSpec spec;
    spec.nonce = "n0";
    spec.run_dir = wrapper.run_dir;
    spec.name = "r1";
    spec.driver = "setsid";
    spec.environment_file = wrapper.environment_file;
    spec.wrapper_text = "exit 0\n";  // never tells that it began
    spec.record_text = "{}\n";
    // Nobody waits: what it would have waited is written down.
    const std::string slept = box.run_file("r1", "slept");
    const auto ran = box.script("sleep() { echo \"$1\" >>" + shell_quote(slept) + "; }\n" + plan::start_script(spec));
    CHECK(ran.out.find("=n0=E start rc=0") != std::string::npos);
    const std::string text = support::read_file(slept);
    double total = 0;
    for (const std::string_view line : split(text, '\n'))
        if (!line.empty()) total += std::stod(std::string{line});
    CHECK(total >= 1.9);
    CHECK(total <= 3.0);
}

TEST_CASE("two live runs get no GPU in common unless they share") {
    const Shell& shell = GENERATE(from_range(support::shells()));
    FakeBox box(shell);
    support::TempDir dev;
    box.roots.dev = dev.path();
    (void)box.launch("r1", sh("sleep 60"));
    const auto answer = [&](const std::string& gpus, bool share) {
        auto spec =
            box.prepare_spec("r" + std::to_string(std::hash<std::string>{}(gpus) % 1000 + (share ? 2000 : 1000)));
        spec.gpus = gpus;
        spec.share_gpus = share;
        return parse::prepare_answer(box.prepare(spec).out, support::k_nonce);
    };
    // Without GPUs there is nothing to guard.
    CHECK(answer("", false).finished);
    // A GPU that is not there, shared or not, would leave the run without any.
    CHECK(answer("0", false).refused == "no-gpu");
    CHECK(answer("0", true).because == "0, and it has 0");
    support::write_file(dev / "nvidiactl", "");
    for (int i = 0; i < 32; ++i)
        support::write_file(dev / ("nvidia" + std::to_string(i)), "");
    CHECK(answer("9", true).gpus == 32);
    CHECK(answer("0,32", false).refused == "no-gpu");
    CHECK(answer("GPU-8f2c", true).finished);
    // r1 was given all of them.
    CHECK(answer("1", false).refused == "gpus-taken");
    CHECK(answer("1", false).because == "r1");
    support::write_file(box.run_file("r1", "gpus"), "0,3");
    CHECK(answer("1", false).finished);
    CHECK(answer("2,3", false).refused == "gpus-taken");
    CHECK(answer("13,30", false).finished);
    CHECK(answer("0", false).refused == "gpus-taken");
    CHECK(answer("5,6", true).finished);
    auto all = box.prepare_spec("r7");
    CHECK(parse::prepare_answer(box.prepare(all).out, support::k_nonce).refused == "gpus-taken");
    // A run that has ended holds nothing.
    ::kill(static_cast<pid_t>(-box.start("r1")->pgid), SIGKILL);
    box.await_exit("r1");
    CHECK(parse::prepare_answer(box.prepare(all).out, support::k_nonce).finished);
}

TEST_CASE("starting twice starts once") {
    const Shell& shell = GENERATE(from_range(support::shells()));
    FakeBox box(shell);
    (void)box.launch("r1", sh("echo ran; : >../said; sleep 60"));
    const auto first = box.start("r1");
    (void)box.launch("r1", sh("echo ran; : >../said; sleep 60"));
    REQUIRE(first);
    box.await(box.run_file("r1", "said"));
    CHECK(box.start("r1")->pid == first->pid);
    CHECK(box.log("r1") == "ran\n");
}

TEST_CASE("the environment file is private and never part of a command line") {
    const Shell& shell = GENERATE(from_range(support::shells()));
    FakeBox box(shell);
    auto wrapper = box.lay_out("r1", sh("echo ${#HF_TOKEN}; umask; sleep 60"));
    plan::StartSpec spec;
    spec.nonce = support::k_nonce;
    spec.run_dir = wrapper.run_dir;
    spec.name = "r1";
    spec.driver = "setsid";
    spec.environment_file = wrapper.environment_file;
    spec.environment_text = plan::environment_text({{"HF_TOKEN", "hf_verysecret"}});
    spec.wrapper_text = plan::wrapper_text(wrapper).value();
    spec.record_text = "{}";
    (void)box.script("umask 022\n" + plan::start_script(spec));
    struct stat status {};
    REQUIRE(::stat(wrapper.environment_file.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0600);
    const auto lines = support::run_program({.argv = sh("cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '; grep -r "
                                                        "verysecret '" +
                                                        box.root() + "'")});
    CHECK(lines.out.find("hf_verysecret") == std::string::npos);
    while (box.log("r1").find("0022") == std::string::npos)
        box.await(box.run_file("r1", "log"));
    CHECK(box.log("r1") == "13\n0022\n");
}

TEST_CASE("stopping ends the recorded group and nobody else") {
    const Shell& shell = GENERATE(from_range(support::shells()));
    FakeBox box(shell);
    (void)box.launch("r1", sh("sleep 61 & sleep 62 & wait"));
    (void)box.launch("r2", sh("sleep 61 & sleep 62 & wait"));
    const auto start = box.start("r1");
    REQUIRE(start);
    plan::StopSpec spec;
    spec.nonce = support::k_nonce;
    spec.identity = {start->pid, start->pgid, start->start_ticks, start->boot_id};
    spec.token = box.token_of("r1");
    spec.signal = "TERM";

    SECTION("the right one") {
        CHECK(has_line(section(box.script(plan::stop_script(spec)), "stop"), "stop=sent"));
        box.await_exit("r1");
        CHECK(box.exit("r1")->signal == "TERM");
        CHECK(judge::living_processes(box.facts("r1")).empty());
        CHECK(judge::living_processes(box.facts("r2")).size() == 3);
        CHECK(has_line(section(box.script(plan::stop_script(spec)), "stop"), "stop=gone"));
    }
    SECTION("a number that belongs to another process by now") {
        spec.identity.start_ticks += 1;
        CHECK(has_line(section(box.script(plan::stop_script(spec)), "stop"), "stop=gone"));
    }
    SECTION("another boot") {
        spec.identity.boot_id = "11111111-2222-3333-4444-555555555555";
        CHECK(has_line(section(box.script(plan::stop_script(spec)), "stop"), "stop=rebooted"));
    }
    SECTION("a group whose leader is gone") {
        ::kill(static_cast<pid_t>(start->pid), SIGKILL);
        box.await_exit("r1");
        CHECK(judge::living_processes(box.facts("r1")).size() == 2);
        CHECK(has_line(section(box.script(plan::stop_script(spec)), "stop"), "stop=sent"));
    }
    if (box.exit("r1")) return;
    CHECK(judge::living_processes(box.facts("r1")).size() == 3);
}

TEST_CASE("tmux starts a run on a server of its own") {
    const Shell& shell = support::shell_named("dash");
    FakeBox box(shell);
    const auto ran = box.launch("r1", sh("echo \"${TMUX-no terminal}\" | cut -c1-2; sleep 60"), "tmux");
    CHECK(ran.code == 0);
    box.await(box.run_file("r1", "start.json"));
    const auto start = box.start("r1");
    REQUIRE(start);
    const auto sessions = support::run_program({.argv = {"tmux", "-L", "drawhitch", "list-sessions", "-F", "#S"}});
    INFO(sessions.out << sessions.err << ran.out);
    CHECK(sessions.out.find("r1-") != std::string::npos);
    CHECK(box.facts("r1").at_pid->session == start->pid);
}

TEST_CASE("tmux starts runs of one name for two projects at once") {
    const Shell& shell = support::shell_named("dash");
    FakeBox one(shell);
    FakeBox other(shell);
    const std::vector<std::string> command = sh("sleep 60");
    CHECK(one.launch("r1", command, "tmux").code == 0);
    CHECK(other.launch("r1", command, "tmux").code == 0);
    REQUIRE(one.start("r1"));
    REQUIRE(other.start("r1"));
}
