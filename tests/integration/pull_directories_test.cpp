// A pull killed in the middle, over SSH: the directories that were complete are proven and receipted, and the next pull
// fetches the others alone.
#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>

#include "io/ledger/ledger.hpp"
#include "support/program_bench.hpp"
#include "support/test_op.hpp"
#include "support/transfer_bench.hpp"

using namespace drawhitch;
using support::ProgramBench;
using support::Tree;

namespace {

constexpr std::uint64_t k_mebibyte = 1U << 20U;

// The paths under out/ that have a receipt, as another process sees it.
std::vector<std::string> receipted(const support::TestOp& op, const ProgramBench& bench) {
    std::vector<std::string> paths;
    const auto ledger = ledger::Ledger::open(op, bench.dir() / "state/drawhitch");
    REQUIRE(ledger);
    const auto lease = ledger->lease_by_name("b1");
    REQUIRE(lease);
    const auto run = ledger->run_by_name(lease->id, "r1");
    REQUIRE(run);
    const auto covered = ledger->covered(run->id);
    REQUIRE(covered);
    for (const auto& proven : *covered)
        if (proven.entry.file.path.starts_with("out/")) paths.push_back(proven.entry.file.path);
    std::ranges::sort(paths);
    return paths;
}

}  // namespace

TEST_CASE("a pull that is killed in the middle has proven and receipted the directories that it finished") {
    ProgramBench bench;
    const support::TestOp op{system_clock(), milliseconds{600'000}};
    Tree tree;
    tree["out/a/one.bin"] = support::noise(2 * k_mebibyte, 1);
    tree["out/b/two.bin"] = support::noise(k_mebibyte, 2);
    tree["out/b/small.bin"] = support::noise(300, 3);
    tree["out/z/large.bin"] = support::noise(24 * k_mebibyte, 4);
    support::make_run(bench, tree);
    const std::vector<std::string> finished{"out/a/one.bin", "out/b/small.bin", "out/b/two.bin"};
    // In the middle of the last file the network stands still: there is time to see the receipts, and to kill.
    bench.proxy().freeze_after(14 * k_mebibyte);
    const int pid = support::start_program(bench.program({"pull", "b1", "r1"}));
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    std::vector<std::string> seen;
    while (seen != finished && std::chrono::steady_clock::now() < end) {
        seen = receipted(op, bench);
    }
    ::kill(pid, SIGKILL);
    CHECK(support::wait_for(pid).signal == SIGKILL);
    CHECK(seen == finished);
    bench.proxy().thaw();
    const std::string place = bench.project() + "/pulls/b1/r1";
    CHECK(support::wrong_file(place, tree, false).empty());
    const auto verified = bench.run({"verify", place});
    CHECK(verified.code == 3);  // the pull is unfinished
    CHECK(verified.out.find("7 of 7 files are what was pulled") != std::string::npos);
    const auto down = bench.run({"down", "b1", "-n"});
    CHECK(down.out.find("not-pulled: r1: out/z/large.bin has no proven copy\n") != std::string::npos);

    const auto again = bench.run({"pull", "b1", "r1", "--json"});
    REQUIRE(again.code == 0);
    const auto data = nlohmann::json::parse(again.out).at("data");
    for (const auto& file : data.at("files")) {
        const bool done = std::ranges::count(finished, file.at("path").get<std::string>()) == 1;
        if (done) CHECK(file.at("state") == "kept");
        CHECK(file.at("certified") == true);
    }
    CHECK(data.at("fetched_bytes").get<std::uint64_t>() + data.at("resumed_bytes").get<std::uint64_t>() <
          25 * k_mebibyte);
    CHECK(data.at("resumed_bytes").get<std::uint64_t>() > 4 * k_mebibyte);
    CHECK(support::wrong_file(place, tree, true).empty());
}
