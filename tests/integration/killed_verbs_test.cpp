// stop-run, cp, adopt and lease close killed with SIGKILL at random moments, over SSH: afterwards the ledger opens and
// is sound, nothing is half done, and the same command ends right.
#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "support/program_bench.hpp"
#include "support/run_program.hpp"
#include "support/transfer_bench.hpp"

using namespace drawhitch;
using support::ProgramBench;
using support::Ran;

namespace {

constexpr int k_most_looks = 100;

int rounds(int here, int long_run) {
    return std::getenv("DRAWHITCH_LONG") != nullptr ? long_run : here;
}

// A seed of its own for each test, told when it fails.
struct Chance {
    unsigned seed{std::random_device{}()};
    std::mt19937 random{seed};
    unsigned below(unsigned microseconds) { return static_cast<unsigned>(random() % microseconds); }
};

// The database is whole, and the program reads it.
void check_ledger(const ProgramBench& bench) {
    const std::string script =
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); "
        "print(c.execute('PRAGMA integrity_check').fetchone()[0], "
        "len(c.execute('PRAGMA foreign_key_check').fetchall()))";
    const Ran sound =
        support::run_program({.argv = {"python3", "-c", script, bench.dir() / "state/drawhitch/ledger.db"}});
    CHECK(sound.out == "ok 0\n");
    CHECK(bench.run({"ls"}).code == 0);
}

int leases_named(const ProgramBench& bench, const std::string& name, const std::string& state) {
    const Ran all = bench.must({"lease", "ls"});
    int count = 0;
    for (std::size_t at = 0; (at = all.out.find("\t" + name + "\t", at)) != std::string::npos; ++at) {
        const std::string line = all.out.substr(at, all.out.find('\n', at) - at);
        count += static_cast<int>(line.find("\t" + state + "\t") != std::string::npos);
    }
    return count;
}

}  // namespace

TEST_CASE("a stop-run killed at any moment is finished by the same command, and no process is left", "[loop]") {
    ProgramBench bench;
    support::write_file(bench.project() + "/train.py", "print()\n");
    bench.must({"push", "b1"});
    Chance chance;
    INFO("seed " << chance.seed);
    int kills = 0;
    // The job ignores TERM, so that a stop has two signals to send, and may be killed between them.
    for (int round = 0; round < rounds(3, 60); ++round) {
        const std::string name = "k" + std::to_string(round);
        const std::string directory = bench.root() + "/runs/" + name;
        INFO("round " << round);
        bench.must({"run", "b1", "--name", name, "--no-push", "--no-outputs", "--", "sh", "-c",
                    "trap '' TERM; echo $$ >../pid; while :; do sleep 1; done"});
        for (int looks = 0; looks < k_most_looks && !std::filesystem::exists(directory + "/pid"); ++looks)
            bench.must({"ps", "b1"});
        const int pid = std::stoi(support::read_file(directory + "/pid"));
        const std::vector<std::string> stop{"stop-run", "b1", name, "--grace", "0s"};
        kills += static_cast<int>(bench.killed_after(stop, chance.below(900'000)));
        check_ledger(bench);
        const Ran again = bench.run(stop);
        INFO(again.err);
        REQUIRE(again.code == 0);
        CHECK(bench.must({"ps", "b1", name}).out.find("\tFAILED\t") != std::string::npos);
        CHECK(::kill(pid, 0) != 0);
        CHECK(bench.must(stop).err.find("had ended already") != std::string::npos);
    }
    CHECK(kills > 0);
}

TEST_CASE("a cp killed at any moment leaves no half file under a name, and ends right", "[loop]") {
    ProgramBench bench;
    Chance chance;
    INFO("seed " << chance.seed);
    const std::string there = bench.dir() / "there";
    const std::string here = bench.dir() / "here";
    std::filesystem::create_directories(there);
    std::filesystem::create_directories(here);
    std::string old;
    int kills = 0;
    for (int round = 0; round < rounds(6, 100); ++round) {
        INFO("round " << round);
        const bool up = round % 2 == 0;
        const std::string& from = up ? here : there;
        const std::string& to = up ? there : here;
        const std::string content = support::noise(5U << 20U, 300U + static_cast<unsigned>(round));
        support::write_file(from + "/a.bin", content);
        const std::string before = std::filesystem::exists(to + "/a.bin") ? support::read_file(to + "/a.bin") : "";
        std::vector<std::string> words{"cp", up ? here + "/a.bin" : "b1:" + there + "/a.bin",
                                       up ? "b1:" + there + "/a.bin" : here + "/a.bin",
                                       "--yes"};  // it replaces the content of the round before last
        kills += static_cast<int>(bench.killed_after(words, chance.below(500'000)));
        const std::string now = std::filesystem::exists(to + "/a.bin") ? support::read_file(to + "/a.bin") : "";
        CHECK((now == before || now == content));
        check_ledger(bench);
        // What the killed one left on the box may still be at its end.
        Ran again;
        for (int calls = 0; calls < k_most_looks; ++calls) {
            again = bench.run(words);
            if (again.err.find("E-LOCKED") == std::string::npos) break;
        }
        INFO(again.err);
        REQUIRE(again.code == 0);
        CHECK(support::read_file(to + "/a.bin") == content);
        for (const auto& entry : std::filesystem::directory_iterator(to)) {
            const std::string name = entry.path().filename();
            CHECK(name == "a.bin");
        }
    }
    CHECK(kills > 0);
}

TEST_CASE("an adopt and a lease close killed at any moment leave one lease, open or closed, and end right", "[loop]") {
    ProgramBench bench;
    Chance chance;
    INFO("seed " << chance.seed);
    int kills = 0;
    for (int round = 0; round < rounds(4, 100); ++round) {
        const std::string name = "k" + std::to_string(round);
        INFO("round " << round);
        kills += static_cast<int>(bench.killed_after(bench.adopt_words(name), chance.below(400'000)));
        check_ledger(bench);
        CHECK(leases_named(bench, name, "active") <= 1);
        const Ran adopted = bench.run(bench.adopt_words(name));
        INFO(adopted.err);
        REQUIRE(adopted.code == 0);
        CHECK(leases_named(bench, name, "active") == 1);
        CHECK(bench.run({"doctor", name}).err.find("E-HOSTKEY") == std::string::npos);

        const std::vector<std::string> close{"lease", "close", name, "--yes", "--reason", "test"};
        kills += static_cast<int>(bench.killed_after(close, chance.below(30'000)));
        check_ledger(bench);
        CHECK(leases_named(bench, name, "active") + leases_named(bench, name, "closed") == 1);
        const Ran closed = bench.run(close);
        INFO(closed.err);
        REQUIRE(closed.code == 0);
        CHECK(leases_named(bench, name, "closed") == 1);
        CHECK(leases_named(bench, name, "active") == 0);
    }
    CHECK(kills > 0);
}
