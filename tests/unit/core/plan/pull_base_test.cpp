#include "core/plan/pull_base.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace drawhitch;
using namespace drawhitch::plan;

namespace {

std::string base_for(const EarlierFiles& files, const std::string& path, std::uint64_t size) {
    const EarlierFile* found = files.base_of(path, size);
    return found == nullptr ? "" : found->path;
}

}  // namespace

TEST_CASE("the base of a checkpoint is the one before it, else the next, of about its size and the same series") {
    const EarlierFiles files{{{"checkpoint-1000/model.pt", 1'000'000, {}},
                              {"checkpoint-900/model.pt", 1'000'010, {}},
                              {"checkpoint-800/model.pt", 1'000'000, {}},
                              {"checkpoint-950/model.pt", 2'000'000, {}},
                              {"checkpoint-900/optimizer.pt", 1'000'000, {}},
                              {"final/model.pt", 1'000'000, {}}}};
    CHECK(base_for(files, "checkpoint-1100/model.pt", 1'000'000) == "checkpoint-1000/model.pt");
    CHECK(base_for(files, "checkpoint-1000/model.pt", 1'000'000) == "checkpoint-900/model.pt");
    CHECK(base_for(files, "checkpoint-900/model.pt", 1'000'000) == "checkpoint-800/model.pt");
    CHECK(base_for(files, "checkpoint-700/model.pt", 1'000'000) == "checkpoint-800/model.pt");
    CHECK(base_for(files, "checkpoint-1100/model.pt", 2'010'000) == "checkpoint-950/model.pt");
    CHECK(base_for(files, "checkpoint-1100/model.pt", 3'000'000).empty());
    CHECK(base_for(files, "checkpoint-950/optimizer.pt", 1'000'000) == "checkpoint-900/optimizer.pt");
    CHECK(base_for(files, "final/model.pt", 1'000'000).empty());
    CHECK(base_for(files, "best/model.pt", 1'000'000).empty());
    CHECK(base_for(EarlierFiles{{}}, "checkpoint-1/model.pt", 1).empty());
}
