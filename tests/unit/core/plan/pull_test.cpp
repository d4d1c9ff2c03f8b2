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

TEST_CASE("only local files of the same size may be equal") {
    const std::vector<proto::FileEntry> entries{file("a", 1, 5), file("b", 1, 5), file("c", 1, 5)};
    std::map<std::string, plan::LocalFile> local;
    local["a"].size = 5;
    local["b"].size = 6;
    CHECK(plan::candidates(entries, local) == std::vector<std::size_t>{0});
}
