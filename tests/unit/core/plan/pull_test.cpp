#include "core/plan/pull.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace drawhitch;

namespace {

proto::FileEntry file(const char* path, std::int64_t mtime, std::uint64_t size = 1) {
    proto::FileEntry entry{};
    entry.path = path;
    entry.type = proto::FileType::file;
    entry.mtime_ns = mtime;
    entry.size = size;
    return entry;
}

std::vector<std::string> names(const std::vector<plan::Unit>& units) {
    std::vector<std::string> all;
    for (const auto& unit : units)
        all.push_back(unit.name);
    return all;
}

}  // namespace

TEST_CASE("the newest of each series stay, and what is no series stays") {
    const std::vector<proto::FileEntry> entries{file("checkpoint-100/a.bin", 10), file("checkpoint-200/a.bin", 30),
                                                file("checkpoint-300/a.bin", 20), file("eval/step_10.pt", 1),
                                                file("eval/step_9.pt", 2),        file("metrics.json", 1)};
    const auto units = plan::units(entries, [](std::string_view) { return plan::Wanted{}; });
    CHECK(names(plan::keep_newest(units, entries, 1)) ==
          std::vector<std::string>{"checkpoint-200", "eval/step_9.pt", "metrics.json"});
    CHECK(names(plan::keep_newest(units, entries, 2)) == std::vector<std::string>{"checkpoint-200", "checkpoint-300",
                                                                                  "eval/step_10.pt", "eval/step_9.pt",
                                                                                  "metrics.json"});
    CHECK(plan::keep_newest(units, entries, 0).size() == units.size());
}

TEST_CASE("the newest of all are counted among weights, where there are any") {
    const std::vector<proto::FileEntry> entries{file("best/a.pt", 10),
                                                file("best/b.PT", 30),
                                                file("best/latest.json", 90),
                                                file("ckpt/step-1/a.bin", 20),
                                                file("ckpt/step-1/b.bin", 40),
                                                file("s/m-00001-of-00002.safetensors", 5),
                                                file("s/m-00002-of-00002.safetensors", 35)};
    const auto units = plan::units(entries, [](std::string_view) { return plan::Wanted{}; });
    using Names = std::vector<std::string>;
    CHECK(names(plan::keep_newest_of_all(units, entries, 1)) == Names{"ckpt/step-1"});
    CHECK(names(plan::keep_newest_of_all(units, entries, 3)) ==
          Names{"best/b.PT", "ckpt/step-1", "s/m-00001-of-00002.safetensors"});
    CHECK(plan::keep_newest_of_all(units, entries, 0).size() == units.size());
    CHECK(plan::keep_newest_of_all(units, entries, 99).size() == 4);
    const std::vector<proto::FileEntry> tables{file("a.csv", 1), file("b.csv", 2)};
    const auto plain = plan::units(tables, [](std::string_view) { return plan::Wanted{}; });
    CHECK(names(plan::keep_newest_of_all(plain, tables, 1)) == Names{"b.csv"});
    CHECK(plan::keep_newest_of_all({}, {}, 2).empty());
}

TEST_CASE("only local files of the same size may be equal") {
    const std::vector<proto::FileEntry> entries{file("a", 1, 5), file("b", 1, 5), file("c", 1, 5)};
    std::map<std::string, plan::LocalFile> local;
    local["a"].size = 5;
    local["b"].size = 6;
    CHECK(plan::candidates(entries, local) == std::vector<std::size_t>{0});
}
