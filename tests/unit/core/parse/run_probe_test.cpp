#include "core/parse/run_probe.hpp"

#include <catch2/catch_test_macros.hpp>

#include "core/parse/cpu_facts.hpp"
#include "core/parse/framed.hpp"
#include "core/parse/prepare_answer.hpp"
#include "core/parse/run_records.hpp"

using namespace drawhitch;

namespace {

constexpr std::string_view k_start =
    R"({"schema":1,"attempt":1,"token":"00ff","pid":4711,"pgid":4711,"session":4711,"start_ticks":320211,)"
    R"("boot_id":"d9f16440-f122-4610-ac12-b1a195d9b679","pid1_ticks":24,"started":1795824714,"oom_kills":0,)"
    R"("log_offset":0,"wrapper_pid":4710,"wrapper_ticks":320206} )";
constexpr std::string_view k_exit =
    R"({"schema":1,"attempt":1,"token":"00ff","pid":4711,"code":null,"signal":"KILL","sure":true,"stage":"job",)"
    R"("started":1795824714,"ended":1795824800,"boot_id":"d9f16440","oom_before":0,"oom_after":1,"caught":["TERM"]} )";
constexpr std::string_view k_stat = "S 4710 4711 4711 0 -1 4194304 1 2 3 4 11 22 0 0 20 0 1 0 320211 99 88";

std::string probe_text() {
    std::string text =
        "Welcome to the box!\n\n=n0=B box\nnow=1795824900\nboot_id=d9f16440-f122\nuptime=1234.56 99.0\n"
        "load=3.50 2.0 1.0 1/200 99\npid1=S 0 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 24 0\n"
        "bytes=/dev/sda1 1000 400 600 40% /data\ninodes=/dev/my disk 50% 100 40 60 40% /data\n\n=n0=E box rc=0\n";
    text += "\n=n0=B run:r1\ndir=present\nclaimed=1795824713\nstart=" + std::string(k_start) +
            "\nattempt=1\njob=" + std::string(k_stat) + "\noom=1\nlog=5000 1795824890\nexit=" + std::string(k_exit) +
            "\n\n=n0=E run:r1 rc=0\n";
    text += "\n=n0=B log:r1\nfrom=4096\nstep 5\n=n1=E log:r1 rc=0\nraw \xff bytes\n\n=n0=E log:r1 rc=0\n";
    text += "\n=n0=B artifact:r1:0\n3 300 1795824880 2 0\n\n=n0=E artifact:r1:0 rc=0\n";
    text += "\n=n0=B artifact:r1:1\nunknown\n\n=n0=E artifact:r1:1 rc=0\n";
    text += "\n=n0=B tokens\n4711 00ff\n4800 00ff\n4900 ffff\nx y\n\n=n0=E tokens rc=0\n";
    text +=
        "\n=n0=B processes\n4711 S 4710 4711 4711 11 22 320211\n4712 Z 4711 4711 4711 0 0 320300\nnonsense\n\n"
        "=n0=E processes rc=0\n\n=n0=Z\n";
    return text;
}

}  // namespace

TEST_CASE("a probe's answer becomes facts") {
    const auto facts = parse::run_probe(probe_text(), "n0", {{"r1", 2}});
    CHECK(facts.complete);
    CHECK(facts.box.now == 1795824900);
    CHECK(facts.box.boot_id == "d9f16440-f122");
    CHECK(facts.box.uptime == 1234.56);
    CHECK(facts.box.load == 3.5);
    CHECK(facts.box.pid1_ticks == 24);
    CHECK(facts.box.bytes_free == 600 * 1024);
    CHECK(facts.box.inodes_free == 60);
    REQUIRE(facts.runs.size() == 1);
    const auto& run = facts.runs[0];
    CHECK(run.directory == model::RunDirectory::present);
    REQUIRE(run.start);
    CHECK(run.start->pid == 4711);
    CHECK(run.start->start_ticks == 320211);
    REQUIRE(run.exit);
    CHECK(run.exit->signal == "KILL");
    CHECK_FALSE(run.exit->code);
    CHECK(run.exit->oom_after == 1);
    CHECK(run.exit->caught == std::vector<std::string>{"TERM"});
    REQUIRE(run.at_pid);
    CHECK(run.at_pid->start_ticks == 320211);
    CHECK(run.at_pid->cpu_ticks == 33);
    CHECK(run.log_size == 5000);
    CHECK(run.log_from == 4096);
    CHECK(run.log_bytes == "step 5\n=n1=E log:r1 rc=0\nraw \xff bytes\n");
    CHECK(run.artifacts[0].known);
    CHECK(run.artifacts[0].newer == 2);
    CHECK_FALSE(run.artifacts[1].known);
    CHECK(run.members.size() == 2);
    CHECK(run.carriers == std::vector<std::int64_t>{4711, 4800});
    CHECK(run.processes_known);
}

TEST_CASE("every prefix of an answer gives facts that claim no more than they saw") {
    const std::string whole = probe_text();
    for (std::size_t length = 0; length < whole.size(); ++length) {
        const auto facts = parse::run_probe(std::string_view(whole).substr(0, length), "n0", {{"r1", 2}});
        REQUIRE(facts.runs.size() == 1);
        // The last line needs no line end to be the last line.
        if (length + 1 < whole.size()) CHECK_FALSE(facts.complete);
        if (facts.runs[0].exit) CHECK(facts.runs[0].exit->signal == "KILL");
        if (!facts.runs[0].processes_known) CHECK(facts.runs[0].members.empty());
    }
}

TEST_CASE("another call's nonce, a terminal's line ends and repeated sections are understood") {
    CHECK(parse::run_probe(probe_text(), "n1", {{"r1", 0}}).runs[0].directory == model::RunDirectory::unknown);
    std::string crlf;
    for (char c : probe_text())
        crlf += c == '\n' ? std::string("\r\n") : std::string{c};
    CHECK(parse::run_probe(crlf, "n0", {{"r1", 2}}).box.now == 1795824900);
    const auto twice = parse::framed("=n=B a\none\n\n=n=E a rc=0\n=n=B a\ntwo\n\n=n=E a rc=0\n=n=B a\nthree", "n");
    REQUIRE(twice.find("a"));
    CHECK(twice.find("a")->body == "two\n");
    CHECK_FALSE(twice.finished);
    CHECK(parse::framed("=n=B a\n\n=n=E a rc=hung\n", "n").find("a") == nullptr);
    CHECK(parse::framed("=n=B a\n\n=n=E b rc=0\n=n=E a rc=0\n", "n").sections.empty());
    CHECK(parse::framed("echo =n=B a\n", "n").sections.empty());
}

TEST_CASE("an artifact scan that met errors proves what it found, and not what it missed") {
    const auto artifact = [](const std::string& body) {
        return parse::run_probe("=n=B artifact:r1:0\n" + body +
                                    "\n\n=n=E artifact:r1:0 rc=0\n=n=B run:r1\ndir=present\n\n"
                                    "=n=E run:r1 rc=0\n",
                                "n", {{"r1", 1}})
            .runs[0]
            .artifacts[0];
    };
    CHECK(artifact("3 30 5 1 1").known);
    CHECK_FALSE(artifact("3 30 5 0 1").known);
    CHECK_FALSE(artifact("0 0 0 0 1").known);
    CHECK(artifact("0 0 0 0 0").known);
    CHECK_FALSE(artifact("0 0 0 0").known);
    CHECK_FALSE(artifact("-1 0 0 0 0").known);
    CHECK_FALSE(artifact("99999999999999999999 0 0 0 0").known);
}

TEST_CASE("records are taken whole or not at all") {
    REQUIRE(parse::start_record(k_start));
    REQUIRE(parse::exit_record(k_exit));
    for (std::size_t length = 0; length + 2 < k_start.size(); ++length)
        CHECK_FALSE(parse::start_record(k_start.substr(0, length)));
    for (std::size_t length = 0; length + 2 < k_exit.size(); ++length)
        CHECK_FALSE(parse::exit_record(k_exit.substr(0, length)));
    const auto broken = [](std::string text, std::string_view from, std::string_view to) {
        return text.replace(text.find(from), from.size(), to);
    };
    CHECK_FALSE(parse::start_record(broken(std::string(k_start), "4711", "0")));
    CHECK_FALSE(parse::start_record(broken(std::string(k_start), "4711", "-4711")));
    CHECK_FALSE(parse::start_record(broken(std::string(k_start), "320211", "1e300")));
    CHECK_FALSE(parse::start_record(broken(std::string(k_start), "d9f16440", "\\u001b[2J")));
    CHECK_FALSE(parse::exit_record(broken(std::string(k_exit), "null", "0")));
    CHECK_FALSE(parse::exit_record(broken(std::string(k_exit), "\"KILL\"", "null")));
    CHECK_FALSE(parse::exit_record(
        broken(std::string(k_exit), "\"code\":null,\"signal\":\"KILL\"", "\"code\":256,\"signal\":null")));
    CHECK(parse::exit_record(std::string(k_exit) + std::string(1800, ' ')));
}

TEST_CASE("CPU facts take the tightest of what makes sense") {
    const auto facts = parse::cpu_facts(
        "nproc=64\naffinity=0-31\nv2 max 100000\nv2 400000 100000\nv2 1600000 100000\n"
        "v1 -1 100000\ncpuset 0-3,8\ncpuset 0-63\n");
    CHECK(facts.online == 64);
    CHECK(facts.affinity == 32);
    CHECK(facts.quota == 4.0);
    CHECK(facts.cpuset == 5);
    CHECK(parse::cpus_in_list("0-3,8,10-11") == 7);
    for (std::string_view bad : {"", "3-1", "a", "0-", "1,,2", "-1", "0-99999999999999999999", "0-9999999"})
        CHECK(parse::cpus_in_list(bad) == 0);
    const auto odd = parse::cpu_facts("nproc=-4\nv2 0 100000\nv2 1 0\nv2 1\nv1 x y\ncpuset\n");
    CHECK_FALSE(odd.online);
    CHECK_FALSE(odd.quota);
    CHECK_FALSE(odd.cpuset);
}

TEST_CASE("a preparation that was refused or cut short is not finished") {
    const std::string text =
        "=n=B prepare\nrelease=00ff\nclaim=ours\nkept=src\nwork=ready\n\n=n=E prepare rc=0\n"
        "=n=B volatile\nvolatile=/dev/shm/d\n\n=n=E volatile rc=0\n=n=B cpu\nnproc=4\n\n=n=E cpu rc=0\n"
        "=n=B box\ndriver=setsid\ndriver=tmux\ngpus=2\nlive=r0 0,1\nlive=../x\n\n=n=E box rc=0\n=n=Z\n";
    const auto answer = parse::prepare_answer(text, "n");
    CHECK(answer.finished);
    CHECK(answer.release == "00ff");
    CHECK(answer.volatile_dir == "/dev/shm/d");
    CHECK(answer.drivers == std::vector<std::string>{"setsid", "tmux"});
    REQUIRE(answer.live.size() == 1);
    CHECK(answer.live[0].gpus == "0,1");
    for (std::size_t length = 0; length + 1 < text.size(); ++length)
        CHECK_FALSE(parse::prepare_answer(std::string_view(text).substr(0, length), "n").finished);
    const auto refused = parse::prepare_answer("=n=B prepare\nrefused=taken\n\n=n=E prepare rc=1\n=n=Z\n", "n");
    CHECK_FALSE(refused.finished);
    CHECK(refused.refused == "taken");
}
