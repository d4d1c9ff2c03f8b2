#include "core/plan/settle.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace drawhitch;
using Settled = std::vector<std::size_t>;

namespace {

constexpr std::int64_t k_second = 1'000'000'000;
constexpr std::int64_t k_quiet = plan::SettleWatch::k_quiet_ns;

// A look at files that were written at `at` seconds, all of them closed.
struct Stage {
    std::vector<proto::FileEntry> entries{};
    std::vector<bool> written{};
    std::map<std::string, plan::DirectoryTimes, std::less<>> directories{};
    bool known{true};
    plan::SettleWatch watch{};

    proto::FileEntry& put(const std::string& path, std::int64_t at) {
        proto::FileEntry& entry = entries.emplace_back();
        entry.path = path;
        entry.type = proto::FileType::file;
        entry.ino = entries.size();
        entry.mtime_ns = entry.ctime_ns = at * k_second;
        written.push_back(false);
        return entry;
    }
    plan::SettleWatch::Answer look(std::int64_t now) {
        const auto units = plan::units(entries, [](std::string_view) { return plan::Wanted{}; });
        return watch.look({units, entries, written, known, directories, now * k_second});
    }
};

}  // namespace

TEST_CASE("a file that nobody has open any more is settled at once, and one that is written is not") {
    Stage stage;
    stage.put("a.pt", 100);
    stage.put("b.pt", 100);
    stage.written[1] = true;
    const auto answer = stage.look(100);
    CHECK(answer.settled == Settled{0});
    CHECK(answer.again_ns == 0);  // nobody knows when it is closed
}

TEST_CASE("where writers may hide, a file must rest or have been renamed into place") {
    Stage stage;
    stage.known = false;
    stage.put("old.pt", 80);
    stage.put("young.pt", 95);
    stage.put("renamed.pt", 99).ctime_ns += 5;
    const auto answer = stage.look(100);
    CHECK(answer.settled == Settled{0, 2});
    CHECK(answer.again_ns == 95 * k_second + k_quiet);
    CHECK(stage.look(105).settled == Settled{0, 1, 2});
}

TEST_CASE("a checkpoint directory rests before it is settled, as more may come into it") {
    Stage stage;
    stage.put("step-1/a.bin", 100);
    CHECK(stage.look(101).settled.empty());
    stage.put("step-1/b.bin", 108);
    const auto answer = stage.look(111);
    CHECK(answer.settled.empty());
    CHECK(answer.again_ns == 118 * k_second);
    CHECK(stage.look(118).settled == Settled{0});
}

TEST_CASE("a checkpoint directory that was renamed into place is whole") {
    Stage stage;
    stage.put("checkpoint-2/a.bin", 100);
    stage.directories["checkpoint-2"] = {99 * k_second, 100 * k_second};
    CHECK(stage.look(100).settled.empty());  // the file may be as young as that
    stage.directories["checkpoint-2"] = {99 * k_second, 100 * k_second + 1};
    CHECK(stage.look(100).settled == Settled{0});
    stage.put("checkpoint-2/late.bin", 101);
    CHECK(stage.look(101).settled.empty());
}

TEST_CASE("a distributed checkpoint is settled by its metadata, and a set of shards by its last one") {
    Stage stage;
    stage.put("step-1/__0_0.distcp", 100);
    stage.put("m/w-00001-of-00002.safetensors", 100);
    CHECK(stage.look(200).settled.empty());
    stage.put("step-1/.metadata", 200);
    stage.put("m/w-00002-of-00002.safetensors", 200);
    CHECK(stage.look(200).settled == Settled{0, 1});
    // Metadata of an earlier checkpoint in the same place says nothing about this one.
    stage.entries[0].mtime_ns = 201 * k_second;
    CHECK(stage.look(201).settled == Settled{1});
}

TEST_CASE("a unit that was seen in the same state long enough is settled whatever its times say") {
    Stage stage;
    stage.known = false;
    stage.put("a.pt", 5000);  // a clock of a file server
    CHECK(stage.look(100).settled.empty());
    CHECK(stage.look(105).settled.empty());
    stage.entries[0].size = 7;
    CHECK(stage.look(109).settled.empty());
    CHECK(stage.look(118).settled.empty());
    CHECK(stage.look(119).settled == Settled{0});
}
