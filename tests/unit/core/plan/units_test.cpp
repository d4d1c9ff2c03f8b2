#include "core/plan/units.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace drawhitch;
using model::RosterClass;
using plan::UnitKind;

namespace {

std::vector<proto::FileEntry> files(std::initializer_list<const char*> paths) {
    std::vector<proto::FileEntry> entries;
    for (const char* path : paths) {
        proto::FileEntry entry{};
        entry.path = path;
        entry.type = proto::FileType::file;
        entries.push_back(std::move(entry));
    }
    return entries;
}

std::optional<plan::Wanted> all_must(std::string_view) {
    return plan::Wanted{};
}

}  // namespace

TEST_CASE("a file is a unit of its own") {
    const auto entries = files({"a/metrics.json", "model.pt"});
    const auto found = plan::units(entries, all_must);
    REQUIRE(found.size() == 2);
    CHECK(found[0] == plan::Unit{"a/metrics.json", UnitKind::file, RosterClass::must, {0}, {}});
    CHECK(found[1].name == "model.pt");
}

TEST_CASE("what matches no pattern belongs to no unit") {
    const auto entries = files({"a.log", "b.pt"});
    const auto found = plan::units(entries, [](std::string_view path) -> std::optional<plan::Wanted> {
        if (path == "b.pt") return plan::Wanted{RosterClass::nice, {}};
        return std::nullopt;
    });
    REQUIRE(found.size() == 1);
    CHECK(found[0].wanted == RosterClass::nice);
}

TEST_CASE("the outermost checkpoint directory is one unit, of its strictest class") {
    const auto entries =
        files({"out/checkpoint-500/global_step500/rank0.pt", "out/checkpoint-500/model.bin", "out/log.txt"});
    const auto found = plan::units(entries, [](std::string_view path) -> std::optional<plan::Wanted> {
        return plan::Wanted{path.ends_with("model.bin") ? RosterClass::must : RosterClass::nice, {}};
    });
    REQUIRE(found.size() == 2);
    CHECK(found[0] == plan::Unit{"out/checkpoint-500", UnitKind::directory, RosterClass::must, {0, 1}, {}});
    CHECK(found[1].name == "out/log.txt");
}

TEST_CASE("a directory with a distributed checkpoint's metadata is one unit") {
    const auto entries = files({"last/.metadata", "last/__0_0.distcp", "last/__1_0.distcp", "other.txt"});
    const auto found = plan::units(entries, all_must);
    REQUIRE(found.size() == 2);
    CHECK(found[0] == plan::Unit{"last", UnitKind::directory, RosterClass::must, {0, 1, 2}, {}});
}

TEST_CASE("a distributed checkpoint without its metadata is one unit that is not complete") {
    auto found = plan::units(files({"last/__0_0.distcp", "last/__1_0.distcp", "other.txt"}), all_must);
    REQUIRE(found.size() == 2);
    CHECK(found[0] == plan::Unit{"last", UnitKind::directory, RosterClass::must, {0, 1}, "last/.metadata"});
    found = plan::units(files({"step-5/trainer.json", "step-5/model/__0_0.distcp"}), all_must);
    REQUIRE(found.size() == 1);
    CHECK(found[0].missing == "step-5/model/.metadata");
    found = plan::units(files({"step-5/model/.metadata", "step-5/model/__0_0.distcp"}), all_must);
    REQUIRE(found.size() == 1);
    CHECK(found[0].missing.empty());
}

TEST_CASE("names of checkpoint directories") {
    for (const char* name : {"checkpoint-500", "Checkpoint_1", "ckpt-7", "ckpt7", "global_step1000", "step=100",
                             "epoch=3-step=100.ckpt", "iter_0001000", "step-12.tmp"})
        CHECK(plan::is_checkpoint_name(name));
    for (const char* name :
         {"checkpoints", "checkpoint", "steps", "stepper-2x", "epoch", "best", "", "iterations", "2"})
        CHECK(!plan::is_checkpoint_name(name));
}

TEST_CASE("shards and their index are one unit, named by the index") {
    const auto entries = files({"m/config.json", "m/model-00001-of-00002.safetensors",
                                "m/model-00002-of-00002.safetensors", "m/model.safetensors.index.json"});
    const auto found = plan::units(entries, all_must);
    REQUIRE(found.size() == 2);
    CHECK(found[1] == plan::Unit{"m/model.safetensors.index.json", UnitKind::shards, RosterClass::must, {1, 2, 3}, {}});
}

TEST_CASE("a shard set that is not complete says what is missing, inside a checkpoint directory, too") {
    auto found = plan::units(files({"model-00001-of-00003.bin", "model-00003-of-00003.bin"}), all_must);
    REQUIRE(found.size() == 1);
    CHECK(found[0].name == "model-00001-of-00003.bin");
    CHECK(found[0].missing == "model-00002-of-00003.bin");
    found = plan::units(files({"checkpoint-2/model-00001-of-00002.bin", "checkpoint-2/x.json"}), all_must);
    REQUIRE(found.size() == 1);
    CHECK(found[0].missing == "checkpoint-2/model-00002-of-00002.bin");
}

TEST_CASE("shard names are taken apart, and odd ones are no shards") {
    CHECK(plan::shard_name("model-00003-of-00005.safetensors") == plan::ShardName{"model", ".safetensors", 3, 5});
    for (const char* name : {"model.bin", "-00001-of-00002.bin", "model-1-of-.bin", "model-x-of-2.bin", "a-9-of-2.bin",
                             "a-1-of-999999999.bin", "a-1-of-2", "state-of-the-art.txt"})
        CHECK(!plan::shard_name(name));
}

TEST_CASE("directories, links and pipes are no part of a unit") {
    auto entries = files({"a", "b"});
    entries[0].type = proto::FileType::directory;
    entries[1].type = proto::FileType::fifo;
    CHECK(plan::units(entries, all_must).empty());
}

TEST_CASE("a directory that a pattern names is one unit, whatever it is called") {
    const auto entries = files({"best/a.bin", "best/sub/b.bin", "c.bin"});
    const auto found = plan::units(entries, [](std::string_view path) -> std::optional<plan::Wanted> {
        return plan::Wanted{RosterClass::must, path.starts_with("best/") ? "best" : ""};
    });
    REQUIRE(found.size() == 2);
    CHECK(found[0] == plan::Unit{"best", UnitKind::directory, RosterClass::must, {0, 1}, {}});
}
