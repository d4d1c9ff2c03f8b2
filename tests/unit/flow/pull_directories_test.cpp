// Directories of a pull: each is completed, proven and receipted by itself.
#include <sys/stat.h>
#include <unistd.h>
#include <cmath>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <thread>

#include "core/config/load_profile.hpp"
#include "down_stage.hpp"
#include "support/eventful_box.hpp"
#include "support/finished_run.hpp"
#include "support/temp_dir.hpp"
#include "support/transfer_bench.hpp"

using namespace drawhitch;
using flow::FileState;
using model::RosterClass;
using support::pulled_file;
using Bench = support::FinishedRun;

namespace {

constexpr std::size_t k_large = 24U << 20U;
constexpr int k_in_the_middle = 60;  // data frames of 128 KiB: well inside the large file, whatever came before it

std::vector<std::string> receipted(Bench& bench) {
    std::vector<std::string> paths;
    const auto covered = bench.local.ledger().covered(bench.run.id);
    for (const auto& proven : *covered)
        paths.push_back(proven.entry.file.path);
    std::ranges::sort(paths);
    return paths;
}

// What has a receipt while the pull hangs in the middle of its large file; what waits for the receipt is no clock, but
// only how long a broken program is waited for.
std::vector<std::string> receipted_meanwhile(Bench& bench, flow::PullOptions options, const std::string& awaited) {
    std::vector<std::string> meanwhile;
    std::string sums;
    support::EventfulBox box(proto::MessageType::data, k_in_the_middle, [&] {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{20};
        while (std::ranges::count(meanwhile, awaited) == 0 && std::chrono::steady_clock::now() < end) {
            std::this_thread::yield();
            meanwhile = receipted(bench);
        }
        if (::access((bench.there() + "/SHA256SUMS").c_str(), F_OK) == 0)
            sums = support::read_file(bench.there() + "/SHA256SUMS");
    });
    support::EventfulConnector connector(box);
    flow::Deps& deps = bench.local.deps();
    flow::Deps eventful{deps.ledger, connector, deps.helpers, deps.prompt, deps.laptop, deps.project, deps.settings};
    options.box = "b1";
    options.record_every = milliseconds{1};
    const auto report = flow::pull(bench.op, eventful, options);
    REQUIRE(report);
    CHECK_FALSE(report->problem);
    CHECK(box.happened());
    for (const std::string& path : meanwhile)
        CHECK(sums.find("  " + path) != std::string::npos);
    // In the end each file is in one receipt, and the report has all of them.
    REQUIRE(report->receipt);
    CHECK(report->receipt->files.size() == report->files.size());
    CHECK(receipted(bench).size() == report->files.size());
    CHECK(bench.local.ledger().receipts(bench.run.id)->size() >= 2);
    return meanwhile;
}

}  // namespace

TEST_CASE("a directory that is complete has its receipt while another is still fetched") {
    Bench bench;
    bench.put("a/x.pt", support::checkpoint());
    bench.put("a/small.json", "{}");
    bench.put("b/large.bin", support::noise(k_large, 1));
    bench.claim({{"a/**", RosterClass::must}, {"b/**", RosterClass::must}});
    const auto meanwhile = receipted_meanwhile(bench, {}, "a/x.pt");
    CHECK(std::ranges::count(meanwhile, "a/small.json") == 1);
    CHECK(std::ranges::count(meanwhile, "b/large.bin") == 0);
}

TEST_CASE("the directories that the user wants first come first") {
    Bench bench;
    bench.put("a/large.bin", support::noise(k_large, 2));
    bench.put("z/best/m.bin", "weights");
    bench.put("z/other.bin", "other");
    bench.claim({{"*.bin", RosterClass::must}});
    const auto meanwhile =
        receipted_meanwhile(bench, {.first = {"z/bset/", "z/best/", "z/best/m.bin"}}, "z/best/m.bin");
    CHECK(std::ranges::count(meanwhile, "a/large.bin") == 0);
    CHECK(std::ranges::count(meanwhile, "z/other.bin") == 0);  // behind a, as ever
    CHECK(bench.op.events().told(EventKind::note, "nothing that is to come first matches \"z/bset/\""));
    CHECK_FALSE(bench.op.events().told(EventKind::note, "m.bin\""));
}

TEST_CASE("a wrong pattern of what comes first is refused before anything is fetched") {
    Bench bench;
    bench.put("a.bin", "a");
    bench.claim({{"*.bin", RosterClass::must}});
    const auto report = flow::pull(bench.op, bench.local.deps(), {.box = "b1", .run = "r1", .first = {"../up"}});
    REQUIRE_FALSE(report);
    CHECK(report.error().code == Code::usage);
    CHECK(::access(bench.there().c_str(), F_OK) != 0);
}

TEST_CASE("a directory that cannot be filled holds back no other, and a rerun fetches that alone") {
    Bench bench;
    bench.put("first.bin", "f");
    bench.claim({{"*.bin", RosterClass::must}});
    REQUIRE_FALSE(bench.pull().problem);
    bench.put("bad/x.bin", support::noise(3'000'000, 3));
    bench.put("bad/y.bin", "y");
    bench.put("good/z.bin", support::noise(2'000'000, 4));
    support::write_file(bench.there() + "/bad", "a file where a directory should be");
    auto report = bench.pull();
    REQUIRE(report.problem);
    CHECK(report.problem->code == Code::skipped);
    CHECK(pulled_file(report, "bad/x.bin").state == FileState::failed);
    CHECK(pulled_file(report, "bad/y.bin").state == FileState::failed);
    CHECK(pulled_file(report, "good/z.bin").certified);
    CHECK(std::ranges::count(receipted(bench), "good/z.bin") == 1);
    CHECK(std::ranges::count(receipted(bench), "bad/y.bin") == 0);
    REQUIRE(::unlink((bench.there() + "/bad").c_str()) == 0);
    report = bench.pull();
    CHECK_FALSE(report.problem);
    CHECK(pulled_file(report, "good/z.bin").state == FileState::kept);
    CHECK(report.tally.fetched + report.tally.resumed == 3'000'001);
    CHECK(std::ranges::count(receipted(bench), "bad/y.bin") == 1);
}

TEST_CASE("the plan of a pull tells money by the profile and the lease, and time once a pull was seen") {
    Bench bench;
    bench.put("a/x.bin", support::noise(5'000'000, 5));
    bench.claim({{"*.bin", RosterClass::must}});
    const std::string root = bench.local.root();
    std::string profile = support::rented_profile(root.substr(0, root.rfind("/drawhitch/")));
    profile.replace(profile.find("egress_gb = -1"), 14, "egress_gb = 90.0");
    REQUIRE(config::load_profile(profile, "generic-ssh", "").ok());
    REQUIRE(bench.local.ledger().set_profile(bench.lease.id, "generic-ssh", profile));
    REQUIRE(bench.local.ledger().set_price(bench.lease.id, 3600, "EUR"));
    bench.local.deps().dry_run = true;
    auto cost = bench.pull().cost;
    CHECK(cost.bytes > 5'000'000);
    REQUIRE(cost.egress);
    CHECK(*cost.egress > 0.45);
    CHECK(!cost.seconds);
    CHECK(!cost.meter);
    bench.local.deps().dry_run = false;
    CHECK_FALSE(bench.pull().problem);
    CHECK(bench.op.events().told(EventKind::note, "to fetch: 4.8 MiB, egress at most 0.45 EUR"));
    bench.put("b/y.bin", support::noise(8'000'000, 6));
    bench.local.deps().dry_run = true;
    cost = bench.pull().cost;
    CHECK(cost.bytes == 8'000'000);
    REQUIRE(cost.seconds);
    REQUIRE(cost.meter);
    CHECK(std::abs(*cost.meter - *cost.seconds) < 1e-9);  // at one a second
    CHECK(cost.currency == "EUR");
}
