// Following a run over SSH while the link breaks: what the run makes afterwards still comes home.
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <csignal>

#include "support/program_bench.hpp"
#include "support/temp_dir.hpp"

using namespace drawhitch;
using support::ProgramBench;

namespace {

// What is waited for is proof that the program works; the end is only for one that does not.
template <class Ready>
bool await(const Ready& ready) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{90};
    while (!ready()) {
        if (std::chrono::steady_clock::now() > end) return false;
    }
    return true;
}

bool lists(const std::string& sums, const std::string& name) {
    return ::access(sums.c_str(), R_OK) == 0 && support::read_file(sums).find("  " + name) != std::string::npos;
}

}  // namespace

TEST_CASE("a following that loses its connections goes on, also after kill -9, and ends with the run") {
    ProgramBench bench;
    support::write_file(bench.project() + "/train.py", "print()\n");
    const auto gate = [&](const std::string& name) {
        return "while [ ! -e " + (bench.dir() / name) + " ]; do sleep 0.05; done; ";
    };
    bench.run({"run", "b1", "--name", "r1", "--out", "*.bin", "--", "sh", "-c",
               "echo 1 >new; mv new one.bin; " + gate("one") + "echo 2 >new; mv new two.bin; " + gate("two") +
                   "echo 3 >new; mv new three.bin; " + gate("three") + "echo 4 >last.bin"});
    const std::string place = bench.project() + "/pulls/b1/r1";
    const std::string sums = place + "/SHA256SUMS";
    const std::vector<std::string> follow{"pull", "b1", "r1", "--follow", "--every", "1s"};
    int pid = support::start_program(bench.program(follow));
    CHECK(await([&] { return lists(sums, "one.bin"); }));
    bench.proxy().freeze();
    bench.proxy().reset();
    support::write_file(bench.dir() / "one", "");
    bench.proxy().thaw();
    CHECK(await([&] { return lists(sums, "two.bin"); }));
    ::kill(pid, SIGKILL);
    CHECK(support::wait_for(pid).signal == SIGKILL);
    pid = support::start_program(bench.program(follow));
    support::write_file(bench.dir() / "two", "");
    CHECK(await([&] { return lists(sums, "three.bin"); }));
    support::write_file(bench.dir() / "three", "");
    const auto ran = support::wait_for(pid);
    CHECK(ran.code == 0);
    CHECK(support::read_file(place + "/last.bin") == "4\n");
    CHECK(bench.run({"verify", place}).code == 0);
}
