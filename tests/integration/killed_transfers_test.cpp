// The program killed with SIGKILL at random moments of pull and push, over SSH: whatever was killed, no visible name
// holds wrong bytes, the next call finishes the work, and little crosses the wire twice.
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <cstdlib>
#include <random>
#include <stdexcept>

#include "support/program_bench.hpp"
#include "support/transfer_bench.hpp"

using namespace drawhitch;
using support::ProgramBench;
using support::Tree;

namespace {

constexpr std::uint64_t k_mebibyte = 1U << 20U;
// A kill may cost the credit (3 MiB), the chunk being written and the one behind it, and a new connection's own bytes.
constexpr std::uint64_t k_cost_of_a_kill = 3 * k_mebibyte + 2 * k_mebibyte + k_mebibyte / 2;

int rounds() {
    return std::getenv("DRAWHITCH_LONG") != nullptr ? 200 : 30;
}

Tree outputs() {
    Tree tree;
    tree["out/model.bin"] = support::noise(20 * k_mebibyte + 77, 5);
    tree["out/optim.bin"] = support::noise(9 * k_mebibyte, 6);
    for (int i = 0; i < 150; ++i)
        tree["out/eval/r" + std::to_string(i) + ".bin"] = support::noise(2000, 50U + static_cast<unsigned>(i));
    return tree;
}

// How long something takes, in microseconds: kills are drawn from that span, so that most of them hit.
template <class Work>
unsigned span_of(const Work& work) {
    const auto begun = std::chrono::steady_clock::now();
    work();
    const auto taken = std::chrono::steady_clock::now() - begun;
    return static_cast<unsigned>(std::chrono::duration_cast<std::chrono::microseconds>(taken).count()) + 1;
}

void remove_tree(const std::string& path) {
    support::run_tool({"rm", "-rf", path});
}

std::size_t count_names(const std::string& path) {
    std::size_t count = 0;
    DIR* stream = ::opendir(path.c_str());
    if (stream == nullptr) return 0;
    while (const dirent* entry = ::readdir(stream))
        if (entry->d_name[0] != '.') ++count;
    ::closedir(stream);
    return count;
}

}  // namespace

TEST_CASE("a pull killed again and again ends right, and sends little twice", "[loop]") {
    ProgramBench bench;
    const Tree tree = outputs();
    support::make_run(bench, tree);
    const unsigned seed = std::random_device{}();
    INFO("seed " << seed);
    std::mt19937 random{seed};
    const std::uint64_t before = bench.proxy().from_server();
    const unsigned span = span_of([&] {
        REQUIRE(bench.run({"pull", "b1", "r1", "--to", bench.dir() / "whole"}).code == 0);
    });
    const std::uint64_t undisturbed = bench.proxy().from_server() - before;

    int kills = 0;
    for (int round = 0; round < rounds() / 3; ++round) {
        const std::string to = bench.dir() / "pull";
        remove_tree(to);
        const std::uint64_t start = bench.proxy().from_server();
        std::uint64_t killed = 0;
        for (int i = 0; i < 3; ++i) {
            if (bench.killed_after({"pull", "b1", "r1", "--to", to}, static_cast<unsigned>(random() % span))) ++killed;
            const std::string wrong = support::wrong_file(to, tree, false);
            INFO("round " << round << ": " << wrong);
            REQUIRE(wrong.empty());
        }
        REQUIRE(bench.run({"pull", "b1", "r1", "--to", to}).code == 0);
        REQUIRE(support::wrong_file(to, tree, true).empty());
        CHECK(::access((to + "/.drawhitch").c_str(), F_OK) != 0);
        const std::uint64_t moved = bench.proxy().from_server() - start;
        CHECK(moved <= undisturbed + (killed + 1) * k_cost_of_a_kill);
        kills += static_cast<int>(killed);
    }
    CHECK(kills > 0);
}

TEST_CASE("a push killed again and again never shows a half release, and ends right", "[loop]") {
    ProgramBench bench;
    const Tree tree = outputs();
    support::plant(bench.project(), tree);
    bench.must({"push", "b1", "--max-size", "1G"});
    const std::string releases = bench.root() + "/releases";
    const unsigned seed = std::random_device{}();
    INFO("seed " << seed);
    std::mt19937 random{seed};
    Tree now = tree;
    const auto change = [&](int round) {
        now["out/model.bin"] = support::noise(20 * k_mebibyte + 77, 1000U + static_cast<unsigned>(round));
        now["out/eval/r0.bin"] = std::to_string(round);
        support::plant(bench.project(), now);
    };
    change(-1);
    const std::uint64_t before = bench.proxy().from_client();
    const unsigned span = span_of([&] { bench.must({"push", "b1", "--max-size", "1G"}); });
    const std::uint64_t undisturbed = bench.proxy().from_client() - before;

    int kills = 0;
    for (int round = 0; round < rounds() / 3; ++round) {
        change(round);
        const std::uint64_t start = bench.proxy().from_client();
        std::uint64_t killed = 0;
        const std::string old = support::read_file(bench.root() + "/current");
        for (int i = 0; i < 3; ++i) {
            if (bench.killed_after({"push", "b1", "--max-size", "1G"}, static_cast<unsigned>(random() % span)))
                ++killed;
            // Whatever is in force is whole: the old tree or the new one.
            const std::string current = support::read_file(bench.root() + "/current");
            const std::string hash = current.substr(0, 64);
            if (current != old) {
                REQUIRE(support::wrong_file(releases + "/" + hash, now, true).empty());
            }
            REQUIRE(::access((releases + "/" + hash + "/out/optim.bin").c_str(), F_OK) == 0);
        }
        bench.must({"push", "b1", "--max-size", "1G"});
        const std::string hash = support::read_file(bench.root() + "/current").substr(0, 64);
        REQUIRE(support::wrong_file(releases + "/" + hash, now, true).empty());
        CHECK(count_names(releases) <= 5);
        const std::uint64_t moved = bench.proxy().from_client() - start;
        CHECK(moved <= undisturbed + (killed + 1) * k_cost_of_a_kill);
        kills += static_cast<int>(killed);
    }
    CHECK(kills > 0);
}
