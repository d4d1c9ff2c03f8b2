// What a pull selects and what it certifies together: patterns, --newest, classes, checkpoints and sets of shards.
#include <fcntl.h>
#include <sys/stat.h>
#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "down_stage.hpp"
#include "support/finished_run.hpp"
#include "support/temp_dir.hpp"

using namespace drawhitch;
using flow::FileState;
using model::RosterClass;
using support::pulled_file;
using Bench = support::FinishedRun;

namespace {

std::vector<std::string> paths(const flow::PullReport& report) {
    std::vector<std::string> all;
    for (const auto& pulled : report.files)
        all.push_back(pulled.entry.path);
    std::ranges::sort(all);
    return all;
}

const flow::PulledUnit& unit_of(const flow::PullReport& report, const std::string& name) {
    const auto found = std::ranges::find(report.units, name, &flow::PulledUnit::name);
    if (found == report.units.end()) throw std::runtime_error("no unit " + name);
    return *found;
}

constexpr const char* k_index = R"({"metadata": {}, "weight_map": {"a": "m-00001-of-00002.safetensors",
    "b": "m-00002-of-00002.safetensors", "c": "extra.safetensors"}})";

// A whole safetensors file of one byte.
std::string tensor(const std::string& name) {
    const std::string header = R"({")" + name + R"(":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})";
    return static_cast<char>(header.size()) + std::string(7, '\0') + header + 'w';
}

}  // namespace

TEST_CASE("the newest unit of what patterns select is one model, and neither log nor table") {
    Bench bench;
    bench.put("best/alpha.pt", support::checkpoint());
    bench.put("best/beta.pt", support::checkpoint());
    bench.put("best/scores.csv", "1\n");
    bench.claim({{"best/**", RosterClass::must}});
    const struct timespec later[2] = {{1'700'000'000, 0}, {1'700'000'000, 0}};
    REQUIRE(::utimensat(AT_FDCWD, (bench.run_dir + "/work/best/beta.pt").c_str(), later, 0) == 0);
    CHECK(paths(bench.pull({.patterns = {"best/**"}, .newest = 1})) == std::vector<std::string>{"best/beta.pt"});
    // Without a pattern nothing but numbered series is thinned out, and the record comes along.
    CHECK(paths(bench.pull({.newest = 1})).size() == 5);
}

TEST_CASE("what the roster calls scratch comes when it is asked for, and counts for nothing") {
    Bench bench;
    bench.put("out/a.bin", "a");
    bench.put("cache/x.bin", "x");
    bench.claim({{"out/**", RosterClass::must}, {"cache/**", RosterClass::scratch}});
    CHECK(paths(bench.pull({.classes = {RosterClass::scratch}})) == std::vector<std::string>{"cache/x.bin"});
    const auto manifest = bench.local.ledger().latest_manifest(bench.run.id);
    REQUIRE(manifest);
    REQUIRE(*manifest);
    for (const auto& entry : (*manifest)->entries)
        CHECK((entry.wanted == RosterClass::scratch) == !entry.root.empty());
    CHECK(std::ranges::count((*manifest)->entries, "out/a.bin", &model::ManifestEntry::path) == 1);
    CHECK(paths(bench.pull()).size() == 3);
}

TEST_CASE("a distributed checkpoint without its metadata is not certified before that comes") {
    Bench bench;
    bench.put("step-5/__0_0.distcp", "0");
    bench.put("step-5/__1_0.distcp", "1");
    bench.claim({{"step-*/**", RosterClass::must}});
    auto report = bench.pull();
    CHECK_FALSE(unit_of(report, "step-5").proven);
    CHECK(unit_of(report, "step-5").why == "incomplete on the box: step-5/.metadata is missing");
    CHECK_FALSE(pulled_file(report, "step-5/__0_0.distcp").certified);
    REQUIRE(report.problem);
    CHECK(report.problem->code == Code::skipped);
    bench.put("step-5/.metadata", "m");
    report = bench.pull();
    CHECK(unit_of(report, "step-5").proven);
    CHECK(report.tally.fetched == 1);
    CHECK_FALSE(report.problem);
}

TEST_CASE("a set of shards is certified when all that its index names is there") {
    Bench bench;
    bench.put("m/m-00001-of-00002.safetensors", tensor("a"));
    bench.put("m/m-00002-of-00002.safetensors", tensor("b"));
    bench.put("m/m.safetensors.index.json", k_index);
    bench.claim({{"m/", RosterClass::must}});
    auto report = bench.pull();
    CHECK(unit_of(report, "m").why == "incomplete on the box: m/extra.safetensors is missing");
    CHECK_FALSE(pulled_file(report, "m/m-00001-of-00002.safetensors").certified);
    bench.put("m/extra.safetensors", tensor("c"));
    report = bench.pull();
    CHECK(unit_of(report, "m").proven);
    CHECK_FALSE(report.problem);
}

TEST_CASE("the gate stays closed for what a selective pull left on the box") {
    support::DownStage stage;
    stage.finished_run("mkdir best ckpt; printf abc >best/a.pt; printf def >ckpt/b.pt; printf x >ckpt/c.pt",
                       {"best/**", "ckpt/**"});
    const auto pull = [&](flow::PullOptions options) {
        options.box = "b1";
        options.run = "r1";
        const auto report = flow::pull(stage.op, stage.deps(), options);
        REQUIRE(report);
        REQUIRE(report->receipt);
        return *report;
    };
    CHECK(pull({.patterns = {"best/**"}, .newest = 1}).receipt->files.size() == 1);
    auto report = stage.down();
    CHECK(support::closed_by(report, "not-pulled", stage.work() + "/ckpt/b.pt"));
    CHECK(support::closed_by(report, "not-pulled", stage.work() + "/ckpt/c.pt"));
    CHECK_FALSE(support::closed_by(report, "not-pulled", stage.work() + "/best/a.pt"));
    // Elsewhere, and in pieces: receipts add up.
    pull({.patterns = {"ckpt/b.pt"}, .to = stage.local().project_directory() + "/elsewhere"});
    report = stage.down();
    CHECK_FALSE(support::closed_by(report, "not-pulled", stage.work() + "/ckpt/b.pt"));
    CHECK(support::closed_by(report, "not-pulled", stage.work() + "/ckpt/c.pt"));
    pull({});
    CHECK(stage.down().gate.open);
}
