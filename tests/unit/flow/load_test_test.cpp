#include "flow/load_test.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <thread>

#include "flow/verify.hpp"
#include "io/ledger/lock.hpp"
#include "support/finished_run.hpp"
#include "support/temp_dir.hpp"

using namespace drawhitch;
using flow::Loading;
using Bench = support::FinishedRun;
using Words = std::vector<std::string>;

namespace {

// A run with one checkpoint directory and one file, and a load test written in shell.
struct Tested : Bench {
    explicit Tested(const std::string& script) {
        put("ck/checkpoint-1/a.bin", "aaaa");
        put("ck/checkpoint-1/b.bin", "bbbb");
        put("a name.bin", "cccc");
        claim({{"**", model::RosterClass::must}});
        command({"/bin/sh", "-c", script, "test"});
    }
    void command(Words argv) { local.project().pull.verify_cmd = std::move(argv); }
    flow::VerifyReport verify() {
        auto report = flow::verify(op, local.deps(), {there(), std::nullopt, false});
        REQUIRE(report);
        return std::move(report).value();
    }
    [[nodiscard]] bool covered(const std::string& path) {
        const auto proven = local.ledger().covered(run.id);
        REQUIRE(proven);
        return std::ranges::any_of(*proven, [&](const auto& file) { return file.entry.file.path == path; });
    }
};

const flow::PulledUnit& unit(const flow::PullReport& report, const std::string& name) {
    for (const auto& found : report.units)
        if (found.name.starts_with(name)) return found;
    FAIL("no unit " << name);
    return report.units.front();
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a load test gets a directory's path, a word for each file of a set, or the paths behind its words") {
    CHECK(flow::load_test_argv({"t", "x y"}, "/p", "a b.pt", {"a b.pt"}) == Words{"t", "x y", "/p/a b.pt"});
    CHECK(flow::load_test_argv({"t"}, "/p", "ck/c-1", {"ck/c-1/a", "ck/c-1/b"}) == Words{"t", "/p/ck/c-1"});
    CHECK(flow::load_test_argv({"t"}, "/p", "ck/c-1/", {"ck/c-1/a"}) == Words{"t", "/p/ck/c-1"});
    CHECK(flow::load_test_argv({"t", "--f={}", "end"}, "/p", "m", {"m-1", "m-2"}) ==
          Words{"t", "--f=/p/m-1", "--f=/p/m-2", "end"});
    CHECK(flow::load_test_argv({"t", "{}"}, "/p", "{}", {"{}"}) == Words{"t", "/p/{}"});
}

TEST_CASE("a load test that is content leaves the units proven, and runs once for each, where the project lies") {
    Tested bench{"pwd >> \"$PWD/ran\"; printf '%s\\n' \"$#\" \"$1\" >> \"$PWD/ran\"; cat > /dev/null"};
    const auto report = bench.pull();
    CHECK(!report.problem);
    CHECK(unit(report, "ck/").proven);
    CHECK(bench.covered("ck/checkpoint-1/a.bin"));
    const std::string ran = support::read_file(bench.local.project_directory() + "/ran");
    CHECK(contains(ran, bench.local.project_directory() + "\n1\n" + bench.there() + "/ck/checkpoint-1\n"));
    CHECK(contains(ran, "1\n" + bench.there() + "/a name.bin\n"));
    CHECK(std::ranges::count(ran, '\n') == 6);
}

TEST_CASE("a unit that does not pass its load test is in no receipt and no list, and the others are") {
    Tested bench{"case $1 in */checkpoint-1) printf 'first\\nbad \\033[2Jshape\\n' >&2; exit 3;; esac"};
    const auto report = bench.pull();
    REQUIRE(report.problem);
    CHECK(report.problem->code == Code::integrity);
    CHECK(!unit(report, "ck/").proven);
    CHECK(unit(report, "ck/").loading == Loading::failed);
    CHECK(unit(report, "ck/").why == "the load test ended with exit code 3: first | bad \\x1b[2Jshape");
    CHECK(unit(report, "a name").proven);
    CHECK(!bench.covered("ck/checkpoint-1/a.bin"));
    CHECK(bench.covered("a name.bin"));
    CHECK(!contains(support::read_file(bench.there() + "/SHA256SUMS"), "checkpoint-1"));
    // Mended, the same pull proves what is here already.
    bench.command({"true"});
    const auto again = bench.pull();
    CHECK(!again.problem);
    CHECK(again.tally.fetched == 0);
    CHECK(bench.covered("ck/checkpoint-1/a.bin"));
}

TEST_CASE("what passed a load test is not loaded again until its bytes, the command or its script change") {
    Tested bench{""};
    const std::string ran = bench.local.project_directory() + "/ran";
    const std::string script = bench.local.project_directory() + "/check.sh";
    support::write_file(script, "echo \"$1\" >> ran\n");
    support::write_file(ran, "");
    bench.command({"/bin/sh", "check.sh"});
    const auto pulls = [&] {
        const std::string before = support::read_file(ran);
        const auto report = bench.pull();
        CHECK(!report.problem);
        for (const auto& judged : report.units)
            CHECK(judged.proven);
        return support::read_file(ran).substr(before.size());
    };
    CHECK(std::ranges::count(pulls(), '\n') == 2);
    CHECK(pulls().empty());
    bench.put("ck/checkpoint-1/b.bin", "new bytes");
    CHECK(pulls() == bench.there() + "/ck/checkpoint-1\n");
    CHECK(pulls().empty());
    support::write_file(script, "echo \"$1\" >> ran; true\n");
    CHECK(std::ranges::count(pulls(), '\n') == 2);
    bench.command({"/bin/sh", "check.sh", "{}", "--strict"});
    CHECK(std::ranges::count(pulls(), '\n') == 2);
    CHECK(pulls().empty());
    const auto verified = support::read_file(ran).size();
    CHECK(!bench.verify().problem);
    CHECK(support::read_file(ran).size() > verified);
    CHECK(pulls().empty());
}

TEST_CASE("a load test that fails in verify is run again by the next pull") {
    Tested bench{"test ! -e \"$PWD/worse\""};
    CHECK(!bench.pull().problem);
    support::write_file(bench.local.project_directory() + "/worse", "");
    CHECK(!bench.pull().problem);
    CHECK(bench.verify().problem);
    CHECK(bench.pull().problem);
}

TEST_CASE("a load test that dies, hangs or floods is bounded and proves nothing") {
    Tested dying{"kill -SEGV $$"};
    CHECK(contains(unit(dying.pull(), "ck/").why, "was ended by signal SEGV"));
    Tested flooding{"yes | head -c 3000000; echo last; exit 1"};
    const std::string why = unit(flooding.pull(), "ck/").why;
    CHECK(contains(why, "exit code 1: y | y | last"));
    CHECK(why.size() < 2000);
    // The shell is gone at once, but its child holds the streams: the whole group is ended.
    Tested hanging{"sleep 1000 & echo $! > \"$PWD/pid\""};
    hanging.local.project().pull.verify_timeout_s = 1;
    CHECK(contains(unit(hanging.pull({.box = {}, .run = {}, .patterns = {"ck/**"}}), "ck/").why, "within 1 s"));
    const pid_t left = std::stoi(support::read_file(hanging.local.project_directory() + "/pid"));
    while (::kill(left, 0) == 0 && contains(support::read_file("/proc/" + std::to_string(left) + "/stat"), "S"))
        std::this_thread::yield();
    SUCCEED("no process is left");
}

TEST_CASE("a load test that cannot be started leaves units uncertified and blames no file") {
    Tested bench{""};
    bench.command({"/no/such/program"});
    const auto report = bench.pull();
    REQUIRE(report.problem);
    CHECK(report.problem->code == Code::skipped);
    CHECK(unit(report, "ck/").loading == Loading::not_run);
    CHECK(contains(unit(report, "ck/").why, "could not be started"));
    CHECK(!bench.covered("a name.bin"));
}

TEST_CASE("a cancel ends a load test that would never end") {
    Tested bench{"echo > \"$PWD/started\"; exec sleep 1000"};
    std::thread user{[&] {
        while (::access((bench.local.project_directory() + "/started").c_str(), F_OK) != 0)
            std::this_thread::yield();
        bench.op.cancel().request();
    }};
    flow::PullOptions options{};
    options.box = "b1";
    const auto report = flow::pull(bench.op, bench.local.deps(), options);
    user.join();
    REQUIRE(!report);
    CHECK(report.error().code == Code::cancelled);
}

TEST_CASE("verify runs the load test again, on whole units only") {
    Tested bench{"test ! -e \"$PWD/worse\""};
    bench.pull();
    CHECK(!bench.verify().problem);
    support::write_file(bench.local.project_directory() + "/worse", "");
    const auto report = bench.verify();
    REQUIRE(report.problem);
    CHECK(report.problem->code == Code::integrity);
    for (const auto& file : report.files) {
        const bool record = file.file.entry.path.starts_with("_run/");
        CHECK(file.state == (record ? flow::VerifyState::good : flow::VerifyState::broken));
    }
    bench.command({"/no/such/program"});
    const auto untested = bench.verify();
    REQUIRE(untested.problem);
    CHECK(untested.problem->code == Code::skipped);
}

TEST_CASE("verify waits for no pull and calls nothing damaged beside one: it says who works there") {
    Tested bench{"true"};
    bench.pull();
    const auto pulling =
        ledger::FileLock::pull_target(bench.op, bench.local.ledger().state_dir(), bench.there(), "drawhitch pull b1");
    REQUIRE(pulling);
    const auto report = flow::verify(bench.op, bench.local.deps(), {bench.there(), std::nullopt, false});
    REQUIRE(!report);
    CHECK(report.error().code == Code::locked);
}
