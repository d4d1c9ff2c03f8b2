#include "core/plan/pull_order.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace drawhitch;
using Indexes = std::vector<std::size_t>;

namespace {

std::vector<proto::FileEntry> files(const std::vector<std::string>& paths) {
    std::vector<proto::FileEntry> entries;
    for (const std::string& path : paths) {
        entries.emplace_back().path = path;
        entries.back().type = proto::FileType::file;
    }
    return entries;
}

std::vector<plan::Unit> units_of(const std::vector<proto::FileEntry>& entries) {
    return plan::units(entries, [](std::string_view) { return plan::Wanted{}; });
}

std::size_t no_wish(std::string_view) {
    return 1;
}

}  // namespace

TEST_CASE("each directory is completed by itself, a checkpoint apart from what lies beside it") {
    const auto entries = files({"a.txt", "ckpt/notes.txt", "ckpt/step-1/m/x.bin", "ckpt/step-1/y.bin", "ckpt/z.txt"});
    const auto order = plan::pull_order(units_of(entries), entries, no_wish);
    REQUIRE(order.size() == 3);
    CHECK(order[0] == plan::PullDirectory{"", {0}});
    CHECK(order[1] == plan::PullDirectory{"ckpt", {1, 3}});
    CHECK(order[2] == plan::PullDirectory{"ckpt/step-1", {2}});
}

TEST_CASE("what the user wants first comes first, with its directory, and the rest keeps its order") {
    const auto entries = files({"a/1", "a/2", "b/1", "c/1", "c/2", "d/1"});
    const auto order = plan::pull_order(units_of(entries), entries, [](std::string_view path) -> std::size_t {
        return path == "d/1" ? 0 : path == "c/2" ? 1 : 2;
    });
    REQUIRE(order.size() == 4);
    CHECK(order[0].path == "d");
    CHECK(order[1] == plan::PullDirectory{"c", {4, 3}});
    CHECK(order[2].path == "a");
    CHECK(order[3].path == "b");
    CHECK(plan::pull_order({}, {}, no_wish).empty());
}
