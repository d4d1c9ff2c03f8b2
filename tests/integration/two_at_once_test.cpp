// The whole program at the edges of a launch, over SSH: killed with SIGKILL at random moments and called again, and
// called by two at the same moment. One job a name, one release at a time, and a clear word for whoever came second.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <thread>

#include "support/program_bench.hpp"
#include "support/transfer_bench.hpp"

using namespace drawhitch;
using support::ProgramBench;
using support::Ran;

namespace {

constexpr int k_most_calls = 100;

int rounds() {
    return std::getenv("DRAWHITCH_LONG") != nullptr ? 200 : 20;
}

std::string count_file(const ProgramBench& bench, const std::string& run) {
    return bench.root() + "/runs/" + run + "/count";
}

// The job writes its line first, and what a test asks about comes later.
std::string count_of(const ProgramBench& bench, const std::string& run) {
    for (int looks = 0; looks < k_most_calls && !std::filesystem::exists(count_file(bench, run)); ++looks)
        (void)bench.run({"ps", "b1", run});
    return std::filesystem::exists(count_file(bench, run)) ? support::read_file(count_file(bench, run)) : "no job";
}

std::vector<std::string> run_words(const std::string& name) {
    return {"run", "b1", "--name", name, "--no-outputs", "--", "sh", "-c", "echo ran >>../count; exec sleep 20"};
}

bool says(const Ran& ran, const std::string& text) {
    return ran.err.find(text) != std::string::npos;
}

std::pair<Ran, Ran> at_once(const ProgramBench& bench, const std::vector<std::string>& one,
                            const std::vector<std::string>& two) {
    std::pair<Ran, Ran> both;
    std::jthread first([&] { both.first = bench.run(one); });
    both.second = bench.run(two);
    first.join();
    return both;
}

// Whoever did not win was told so, and what to type.
bool is_told(const Ran& ran, const std::vector<std::string>& classes) {
    const bool known = std::any_of(classes.begin(), classes.end(),
                                   [&](const std::string& id) { return says(ran, "error[" + id + "]"); });
    return ran.code == 1 && known && says(ran, "\nnext: ");
}

}  // namespace

TEST_CASE("a run killed at any moment is finished by the same command, and one job runs", "[loop]") {
    ProgramBench bench;
    support::write_file(bench.project() + "/train.py", "print()\n");
    bench.must({"push", "b1"});
    const unsigned seed = std::random_device{}();
    INFO("seed " << seed);
    std::mt19937 random{seed};
    int kills = 0;
    for (int round = 0; round < rounds(); ++round) {
        const std::string name = "k" + std::to_string(round);
        kills += static_cast<int>(bench.killed_after(run_words(name), static_cast<unsigned>(random() % 700'000)));
        Ran again;
        // What the killed one left on the box may still be at its end.
        for (int calls = 0; calls < k_most_calls; ++calls) {
            again = bench.run(run_words(name));
            if (!says(again, "E-LOCKED")) break;
        }
        INFO("round " << round << ": " << again.code << " " << again.err);
        REQUIRE((again.code == 0 || says(again, "already running")));
        CHECK(count_of(bench, name) == "ran\n");
        CHECK(bench.must({"ps", "b1", name}).out.find("RUNNING") != std::string::npos);
        bench.must({"stop-run", "b1", name, "--grace", "0s"});
    }
    CHECK(kills > 0);
}

TEST_CASE("of two runs of one name at once exactly one starts") {
    ProgramBench bench;
    support::write_file(bench.project() + "/train.py", "print()\n");
    bench.must({"push", "b1"});
    for (int round = 0; round < 3; ++round) {
        const std::string name = "r" + std::to_string(round);
        const auto [one, two] = at_once(bench, run_words(name), run_words(name));
        INFO(one.err << "\n" << two.err);
        CHECK(((one.code == 0 && is_told(two, {"E-LOCKED", "E-EXISTS"})) ||
               (two.code == 0 && is_told(one, {"E-LOCKED", "E-EXISTS"}))));
        CHECK(count_of(bench, name) == "ran\n");
        bench.must({"stop-run", "b1", name, "--grace", "0s"});
    }
}

TEST_CASE("of two pushes at once one is told to wait, and what is in force is whole") {
    ProgramBench bench;
    support::Tree tree;
    for (int round = 0; round < 3; ++round) {
        tree["model.bin"] = support::noise(6U << 20U, 70U + static_cast<unsigned>(round));
        for (int i = 0; i < 40; ++i)
            tree["src/f" + std::to_string(i) + ".py"] = support::noise(900, static_cast<unsigned>(round * 100 + i));
        support::plant(bench.project(), tree);
        const std::vector<std::string> push{"push", "b1", "--max-size", "1G"};
        const auto [one, two] = at_once(bench, push, push);
        INFO(one.err << "\n" << two.err);
        CHECK((one.code == 0 || two.code == 0));
        for (const Ran& ran : {one, two})
            CHECK((ran.code == 0 || is_told(ran, {"E-LOCKED"})));
        const std::string hash = support::read_file(bench.root() + "/current").substr(0, 64);
        CHECK(support::wrong_file(bench.root() + "/releases/" + hash, tree, true).empty());
        CHECK(bench.must({"push", "b1", "--rehash", "--json"}).out.find("\"up_to_date\":true") != std::string::npos);
    }
}

TEST_CASE("of two laptops that push different code at once, what is in force is wholly one's, and the other is told") {
    ProgramBench bench;
    support::write_file(bench.project() + "/train.py", "print()\n");
    bench.must({"push", "b1"});
    bench.add_laptop("other-");  // meets the mark that the push left
    const std::vector<std::string> push{"push", "b1", "--max-size", "1G", "--json"};
    for (int round = 0; round < 3; ++round) {
        std::map<std::string, support::Tree> trees;
        for (const std::string laptop : {"", "other-"}) {
            const unsigned seed = 1000U * static_cast<unsigned>(round + 1) + (laptop.empty() ? 0U : 500U);
            support::Tree& tree = trees[laptop];
            tree["train.py"] = "print()\n";
            tree["model.bin"] = support::noise(6U << 20U, seed);
            // Both sides change the same names, and each has some of its own.
            for (unsigned i = 0; i < 40; ++i)
                tree["src/f" + std::to_string(i) + ".py"] = support::noise(900, seed + i);
            tree["only_" + (laptop.empty() ? std::string{"here"} : laptop) + ".py"] = support::noise(100, seed);
            support::plant(bench.project_on(laptop), tree);
        }
        std::map<std::string, Ran> ran;
        {
            std::jthread first([&] { ran[""] = bench.run_on("", push); });
            const Ran second = bench.run_on("other-", push);
            first.join();
            ran["other-"] = second;
        }
        INFO("round " << round << ": " << ran[""].err << "\n" << ran["other-"].err);
        CHECK((ran[""].code == 0 || ran["other-"].code == 0));
        const std::string hash = support::read_file(bench.root() + "/current").substr(0, 64);
        int in_force = 0;
        for (const auto& [laptop, result] : ran) {
            CHECK((result.code == 0 || is_told(result, {"E-LOCKED"})));
            const bool won = result.out.find("\"hash\":\"" + hash + "\"") != std::string::npos;
            in_force += static_cast<int>(won && result.code == 0);
            if (won) {
                CHECK(support::wrong_file(bench.root() + "/releases/" + hash, trees[laptop], true).empty());
            }
        }
        CHECK(in_force == 1);
        // Each says afterwards what is true: the one in force has nothing to do, the other's is sent whole.
        for (const auto& [laptop, result] : ran) {
            const Ran again = bench.run_on(laptop, {"push", "b1", "--max-size", "1G", "--rehash", "--json"});
            REQUIRE(again.code == 0);
            const std::string now = support::read_file(bench.root() + "/current").substr(0, 64);
            CHECK(support::wrong_file(bench.root() + "/releases/" + now, trees[laptop], true).empty());
        }
    }
}

TEST_CASE("a push killed on a path that fell silent is followed by another one at once") {
    ProgramBench bench;
    support::Tree tree;
    for (unsigned round = 0; round < 3; ++round) {
        tree["model.bin"] = support::noise(6U << 20U, 900U + round);
        support::plant(bench.project(), tree);
        bench.proxy().silence_after(1'500'000);
        // Its path never tells the box that it is gone: the helper there waits, with the root claimed.
        CHECK(bench.killed_after({"push", "b1", "--max-size", "1G"}, 1'500'000));
        const Ran next = bench.run({"push", "b1", "--max-size", "1G"});
        INFO(next.err);
        REQUIRE(next.code == 0);
        const std::string hash = support::read_file(bench.root() + "/current").substr(0, 64);
        CHECK(support::wrong_file(bench.root() + "/releases/" + hash, tree, true).empty());
    }
    bench.proxy().unsilence();
    const std::string hash = support::read_file(bench.root() + "/current").substr(0, 64);
    CHECK(support::wrong_file(bench.root() + "/releases/" + hash, tree, true).empty());
}

TEST_CASE("a push while a run starts leaves the run its own code") {
    ProgramBench bench;
    support::Tree tree;
    tree["train.py"] = "old\n";
    tree["big.bin"] = support::noise(4U << 20U, 3);
    support::plant(bench.project(), tree);
    bench.must({"push", "b1", "--max-size", "1G"});
    const std::string old_hash = support::read_file(bench.root() + "/current").substr(0, 64);
    for (int round = 0; round < 3; ++round) {
        const std::string name = "r" + std::to_string(round);
        support::write_file(bench.project() + "/big.bin",
                            support::noise(4U << 20U, 40U + static_cast<unsigned>(round)));
        support::write_file(bench.project() + "/train.py", "new " + std::to_string(round) + "\n");
        std::vector<std::string> run{"run", "b1", "--name", name, "--no-push", "--no-outputs", "--", "sleep", "20"};
        const std::string before = support::read_file(bench.root() + "/current").substr(0, 64);
        const auto [pushed, started] = at_once(bench, {"push", "b1", "--max-size", "1G"}, run);
        INFO(pushed.err << "\n" << started.err);
        CHECK(pushed.code == 0);
        REQUIRE(started.code == 0);
        const std::string after = support::read_file(bench.root() + "/current").substr(0, 64);
        CHECK(before != after);
        // Which of the two it got is a race; that it is one of them, whole and as recorded, is not.
        const std::string release = support::read_file(bench.root() + "/runs/" + name + "/release").substr(0, 64);
        CHECK((release == before || release == after));
        const std::string work = bench.root() + "/runs/" + name + "/work/";
        for (const char* file : {"train.py", "big.bin"}) {
            const bool same = support::read_file(work + file) ==
                              support::read_file(bench.root() + "/releases/" + release + "/" + file);
            CHECK(same);
        }
        CHECK(bench.must({"ps", "b1", name}).out.find("RUNNING") != std::string::npos);
        bench.must({"stop-run", "b1", name, "--grace", "0s"});
    }
}
