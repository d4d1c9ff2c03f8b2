#include "core/plan/roster_proposal.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace drawhitch;
using plan::OutputFile;

namespace {

std::vector<std::string> proposed(const std::vector<OutputFile>& outputs,
                                  const std::vector<std::string>& released = {}) {
    std::vector<std::string> patterns;
    for (const plan::ProposedPattern& one : plan::propose_roster(outputs, released))
        patterns.push_back(one.pattern);
    return patterns;
}

using List = std::vector<std::string>;

}  // namespace

TEST_CASE("a directory of outputs is proposed as a whole, the largest first") {
    CHECK(proposed({{"ckp/a.pt", 5}, {"ckp/deep/b.pt", 6}, {"log.txt", 20}}) == List{"log.txt", "ckp/**"});
    const auto all = plan::propose_roster({{"ckp/a.pt", 5}, {"ckp/deep/b.pt", 6}}, {});
    REQUIRE(all.size() == 1);
    CHECK(all.front().files == 2);
    CHECK(all.front().bytes == 11);
}

TEST_CASE("loose files that end alike are proposed by their ending") {
    CHECK(proposed({{"a.pt", 1}, {"b.pt", 1}, {"c.json", 1}}) == List{"/*.pt", "c.json"});
    CHECK(proposed({{"README", 1}, {"LICENSE", 2}, {".hidden", 3}}) == List{".hidden", "LICENSE", "README"});
}

TEST_CASE("what came with the code is in none of them") {
    const List released{"train.py", "conf/base.json", "out/README.md", "out/keep/x.bin", "model.bin"};
    const std::vector<OutputFile> outputs{{"out/a.bin", 9},          {"out/b.bin", 9},   {"out/keep/y.bin", 5},
                                          {"out/new/deep/z", 4},     {"conf/r.json", 3}, {"conf/s.json", 3},
                                          {"elsewhere/model.bin", 2}};
    CHECK(proposed(outputs, released) ==
          List{"out/*.bin", "out/keep/y.bin", "out/new/**", "conf/r.json", "conf/s.json", "elsewhere/**"});
}

TEST_CASE("caches, environments and hidden directories are no outputs") {
    CHECK(proposed({{"__pycache__/a.pyc", 1},
                    {"lib/__pycache__/a.pyc", 1},
                    {".cache/x", 1},
                    {"venv/pyvenv.cfg", 1},
                    {"venv/lib/torch.so", 1}})
              .empty());
    CHECK(proposed({}).empty());
}

TEST_CASE("a name with signs of patterns is taken as it is, and one that cannot be typed is left out") {
    CHECK(proposed({{"s[1]", 1}}) == List{"s\\[1\\]"});
    CHECK(proposed({{"d*/q?", 1}, {"d*/b\\", 1}}) == List{"d\\*/**"});
    CHECK(proposed({{"\xff\xfe", 1}, {"a\nb", 1}, {"a{b}", 1}}).empty());
}
