// Files that tell of others: an index of shards, the .metadata of a distributed checkpoint.
#include <catch2/catch_test_macros.hpp>

#include "flow/verify.hpp"
#include "support/finished_run.hpp"
#include "support/paths.hpp"
#include "support/temp_dir.hpp"

using namespace drawhitch;
using flow::FileState;
using flow::VerifyState;
using model::RosterClass;
using model::Structure;
using Bench = support::FinishedRun;

namespace {

std::string golden(const std::string& name) {
    return support::read_file(support::source_dir() + "/tests/golden/structure/" + name);
}

const flow::PulledFile& file(const flow::PullReport& report, const std::string& path) {
    for (const flow::PulledFile& one : report.files)
        if (one.entry.path == path) return one;
    FAIL("no file " << path);
    return report.files.front();
}

const flow::PulledUnit& unit(const flow::PullReport& report, const std::string& name) {
    for (const flow::PulledUnit& one : report.units)
        if (one.name == name) return one;
    FAIL("no unit " << name);
    return report.units.front();
}

VerifyState verified(Bench& bench, const std::string& path) {
    const auto report = flow::verify(bench.op, bench.local.deps(), {bench.there(), std::nullopt, false});
    REQUIRE(report);
    for (const auto& one : report->files)
        if (one.file.entry.path == path) return one.state;
    FAIL("no file " << path);
    return VerifyState::missing;
}

constexpr const char* k_index = "model.safetensors.index.json";

void put_shards(Bench& bench, const std::string& second_tensor) {
    for (const char* shard : {"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"})
        bench.put(shard, golden(shard));
    bench.put(k_index,
              R"({"metadata":{"total_size":28},"weight_map":{"a.weight":"model-00001-of-00002.safetensors",")" +
                  second_tensor + R"(":"model-00002-of-00002.safetensors"}})");
    bench.claim({{"model*", RosterClass::must}});
}

void put_checkpoint(Bench& bench, const std::string& directory, std::size_t cut) {
    for (const char* name : {".metadata", "__0_0.distcp", "__0_1.distcp", "__0_2.distcp"}) {
        std::string bytes = golden(std::string("distributed/") + name);
        if (std::string_view{name} == "__0_1.distcp") bytes.resize(bytes.size() - cut);
        if (!bytes.empty()) bench.put(directory + "/" + name, bytes);
    }
}

}  // namespace

TEST_CASE("shards with an index that tells of what they hold are one proven unit") {
    Bench bench;
    put_shards(bench, "b.weight");
    const auto report = bench.pull();
    CHECK(!report.problem);
    CHECK(file(report, k_index).certified);
    CHECK(verified(bench, k_index) == VerifyState::good);
}

TEST_CASE("an index that names a tensor which no shard has is damaged on the box, and none of its unit is certified") {
    Bench bench;
    put_shards(bench, "c.weight");
    const auto report = bench.pull();
    REQUIRE(report.problem);
    CHECK(report.problem->code == Code::integrity);
    CHECK(file(report, k_index).structure == Structure::broken);
    CHECK(file(report, k_index).why ==
          "damaged on the box itself: tensor c.weight, which it says is in model-00002-of-00002.safetensors, is not "
          "there");
    CHECK(!file(report, "model-00001-of-00002.safetensors").certified);
    CHECK(verified(bench, k_index) == VerifyState::broken);
    // Where the pull did not look at it, as those of older releases.
    const std::string list = bench.there() + "/MANIFEST.json";
    std::string text = support::read_file(list);
    const std::size_t begin = text.find(",\"unproven\":");
    REQUIRE(begin != std::string::npos);
    text.erase(begin, text.find('}', begin) - begin);
    support::write_file(list, text);
    CHECK(verified(bench, k_index) == VerifyState::broken);
}

TEST_CASE("a distributed checkpoint is proven when every piece that its .metadata tells of is whole") {
    Bench bench;
    put_checkpoint(bench, "step-100", 0);
    put_checkpoint(bench, "step-200", 1);
    bench.claim({{"step-*/", RosterClass::must}});
    const auto report = bench.pull();
    REQUIRE(report.problem);
    CHECK(file(report, "step-100/.metadata").certified);
    CHECK(file(report, "step-200/.metadata").structure == Structure::broken);
    CHECK(file(report, "step-200/.metadata").why ==
          "damaged on the box itself: __0_1.distcp ends 1 bytes before what lies in it; step-100, saved before it, is "
          "whole");
    CHECK(!file(report, "step-200/__0_0.distcp").certified);
    CHECK(verified(bench, "step-100/.metadata") == VerifyState::good);
    CHECK(verified(bench, "step-200/.metadata") == VerifyState::broken);
}

TEST_CASE("a distributed checkpoint without a file that its .metadata names is incomplete, and not called damaged") {
    Bench bench;
    const std::size_t all = golden("distributed/__0_1.distcp").size();
    put_checkpoint(bench, "step-100", all);
    bench.claim({{"step-*/", RosterClass::must}});
    const auto report = bench.pull();
    REQUIRE(report.problem);
    CHECK(report.problem->code == Code::skipped);
    CHECK(!unit(report, "step-100").proven);
    CHECK(unit(report, "step-100").why == "incomplete on the box: step-100/__0_1.distcp is missing");
    CHECK(file(report, "step-100/.metadata").structure == Structure::sound);
}
