#include "core/judge/usage.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace drawhitch;
using judge::UsageTally;
using judge::UsedEntry;

namespace {

UsedEntry directory(const std::string& path) {
    return {.path = path, .allocated = 4096, .directory = true};
}

UsedEntry file(const std::string& path, std::uint64_t allocated, std::uint64_t apparent) {
    return {.path = path, .allocated = allocated, .apparent = apparent};
}

UsedEntry linked(const std::string& path, std::uint64_t ino, std::uint32_t links) {
    return {.path = path, .allocated = 8192, .apparent = 8000, .dev = 1, .ino = ino, .links = links};
}

std::vector<std::string> paths(const std::vector<judge::UsageRow>& rows) {
    std::vector<std::string> found;
    for (const judge::UsageRow& row : rows)
        found.push_back(row.path);
    return found;
}

}  // namespace

TEST_CASE("a directory's sum is itself and all below it, and the largest come first") {
    UsageTally tally{{.depth = 1, .top = 10}};
    tally.add(directory(""));
    tally.add(directory("a"));
    tally.add(file("a/sparse", 0, 1'000'000));
    tally.add(directory("a/deep"));
    tally.add(file("a/deep/x", 100, 90));
    tally.add(directory("b"));
    tally.add(file("b/y", 50'000, 49'000));
    tally.add(file("loose", 7, 7));
    const auto sums = tally.finish();
    CHECK(sums.whole.entries == 8);
    CHECK(sums.whole.allocated == 4 * 4096 + 100 + 50'000 + 7);
    CHECK(sums.whole.apparent == 1'000'000 + 90 + 49'000 + 7);
    REQUIRE(paths(sums.largest) == std::vector<std::string>{"b", "a"});
    CHECK(sums.largest[1].usage.entries == 4);
    CHECK(sums.largest[1].usage.allocated == 2 * 4096 + 100);
}

TEST_CASE("a name that begins like a directory's is not inside of it") {
    UsageTally tally{{.depth = 1, .top = 10}};
    tally.add(directory("a"));
    tally.add(file("a-b", 10, 10));
    const auto sums = tally.finish();
    REQUIRE(sums.largest.size() == 1);
    CHECK(sums.largest[0].usage.entries == 1);
}

TEST_CASE("only the largest are kept, and how many were smaller is told") {
    UsageTally tally{{.depth = 2, .top = 3}};
    for (int i = 0; i < 40; ++i) {
        const std::string name = "d" + std::to_string(i + 10);
        tally.add(directory(name));
        tally.add(file(name + "/f", static_cast<std::uint64_t>((i * 7) % 40) * 1'000'000, 1));
    }
    const auto sums = tally.finish();
    CHECK(sums.left_out == 37);
    REQUIRE(sums.largest.size() == 3);
    CHECK(sums.largest[0].usage.allocated == 39'000'000 + 4096);
    CHECK(sums.largest[1].usage.allocated == 38'000'000 + 4096);
    CHECK(sums.largest[2].usage.allocated == 37'000'000 + 4096);
}

TEST_CASE("a file of several names weighs once, each name is an entry") {
    UsageTally tally{{.depth = 1, .top = 10}};
    tally.add(directory("a"));
    tally.add(linked("a/1", 7, 3));
    tally.add(linked("a/2", 7, 3));
    tally.add(directory("b"));
    tally.add(linked("b/3", 7, 3));
    tally.add(linked("b/other", 8, 2));
    const auto sums = tally.finish();
    CHECK(sums.whole.entries == 6);
    CHECK(sums.whole.inodes == 4);
    CHECK(sums.whole.allocated == 2 * 4096 + 2 * 8192);
    CHECK(sums.whole.apparent == 16'000);
    // Where its first name stands.
    CHECK(sums.largest[0].usage.allocated == 4096 + 8192);
    CHECK(sums.largest[1].usage.allocated == 4096 + 8192);
}

TEST_CASE("a directory that was asked for is told however small and deep it is") {
    UsageTally tally{{.depth = 1, .top = 1, .always = {"a/b/c"}}};
    tally.add(directory("a"));
    tally.add(directory("a/b"));
    tally.add(directory("a/b/c"));
    tally.add(file("a/b/c/f", 1, 1));
    tally.add(file("a/b/g", 5, 5));
    const auto sums = tally.finish();
    REQUIRE(paths(sums.always) == std::vector<std::string>{"a/b/c"});
    CHECK(sums.always[0].usage.entries == 2);
    REQUIRE(paths(sums.largest) == std::vector<std::string>{"a"});
    CHECK(sums.largest[0].usage.entries == 5);
}

TEST_CASE("what could not be read is counted where it lies") {
    UsageTally tally{{.depth = 1, .top = 10}};
    tally.add(directory("a"));
    UsedEntry closed = directory("a/closed");
    closed.unreadable = true;
    tally.add(closed);
    tally.add(directory("b"));
    const auto sums = tally.finish();
    CHECK(sums.whole.unreadable == 1);
    CHECK(sums.largest[0].path == "a");
    CHECK(sums.largest[0].usage.unreadable == 1);
    CHECK(sums.largest[1].usage.unreadable == 0);
}

TEST_CASE("a path lies on the nearest mount, and on the last of several at one point") {
    const std::vector<model::Mount> mounts{{.point = "/", .type = "overlay"},
                                           {.point = "/data", .type = "ext4"},
                                           {.point = "/data", .type = "xfs"},
                                           {.point = "/data/proc", .type = "proc"}};
    CHECK(judge::mount_of(mounts, "/data/x")->type == "xfs");
    CHECK(judge::mount_of(mounts, "/data2")->type == "overlay");
    CHECK(judge::mount_of(mounts, "/")->type == "overlay");
    CHECK(judge::mount_of({}, "/") == nullptr);
    CHECK(judge::holds_files(mounts[2]));
    CHECK_FALSE(judge::holds_files(*judge::mount_of(mounts, "/data/proc/1")));
}

TEST_CASE("a path lies on the nearest tier, and of two at one place on the one that survives less") {
    const model::Storage disk{.name = "disk", .survives = {model::Downtime::restart}};
    const model::Storage kept{.name = "kept", .survives = {model::Downtime::stop, model::Downtime::terminate}};
    const model::Storage lost{.name = "lost"};
    const std::vector<judge::TierPlace> tiers{{&disk, "/"}, {&kept, "/vol"}, {&lost, "/vol"}, {&kept, ""}};
    CHECK(judge::tier_of(tiers, "/vol/a")->name == "lost");
    CHECK(judge::tier_of(tiers, "/volume")->name == "disk");
    CHECK(judge::tier_of({}, "/volume") == nullptr);
}
