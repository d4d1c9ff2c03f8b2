#include "core/parse/glob.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

using namespace drawhitch;
using parse::Glob;

namespace {

Glob glob(std::string_view pattern) {
    auto compiled = Glob::compile(pattern);
    INFO(pattern);
    REQUIRE(compiled);
    return *std::move(compiled);
}

}  // namespace

TEST_CASE("a roster pattern covers the files its table says, and no others") {
    struct Row {
        std::string pattern{};
        std::string file{};
        bool covered{false};
    };
    const std::vector<Row> rows = {
        {"*.pt", "model.pt", true},
        {"*.pt", "a/b/model.pt", true},
        {"*.pt", "model.pt.tmp", false},
        {"*.pt", "x.pt/part0", true},
        {"/*.pt", "model.pt", true},
        {"/*.pt", "a/model.pt", false},
        {"best", "best", true},
        {"best", "best/model.pt", true},
        {"best", "bestest/model.pt", false},
        {"best/**", "best/model.pt", true},
        {"best/**", "best/a/b", true},
        {"best/**", "best", false},
        {"best/**", "old/best/model.pt", false},
        {"**/best/**", "old/best/model.pt", true},
        {"**/best/**", "best/model.pt", true},
        {"ckpt-*/", "ckpt-100/shard", true},
        {"ckpt-*/", "ckpt-100", false},
        {"ckpt-*/", "out/ckpt-7/a/b", true},
        {"out/ckpt-*/", "out/ckpt-7/a/b", true},
        {"out/ckpt-*/", "x/out/ckpt-7/a/b", false},
        {"a/*/c.json", "a/b/c.json", true},
        {"a/*/c.json", "a/b/b/c.json", false},
        {"a/**/c.json", "a/c.json", true},
        {"a/**/c.json", "a/b/b/c.json", true},
        {"a**/c", "ab/c", true},
        {"a**/c", "ab/x/c", false},
        {"step_[0-9]*.pt", "step_12.pt", true},
        {"step_[0-9]*.pt", "step_x.pt", false},
        {"[!a]?", "bc", true},
        {"[!a]?", "ac", false},
        {"a\\*", "a*", true},
        {"a\\*", "ab", false},
        {"\\{x\\}", "{x}", true},
        {"./run.log", "run.log", true},
        {"**", "anything/at/all", true},
        {"*", "anything/at/all", true},
        {"caf\xe9*", "caf\xe9.txt", true},  // bytes, not text
    };
    for (const Row& row : rows) {
        INFO(row.pattern << " on " << row.file);
        CHECK(glob(row.pattern).covers(row.file) == row.covered);
    }
}

TEST_CASE("a pattern with a trailing slash certifies its outermost directory as one unit") {
    CHECK(glob("ckpt-*/").unit_of("out/ckpt-7/sub/shard-0") == "out/ckpt-7");
    CHECK(glob("ckpt-*/").unit_of("ckpt-1/ckpt-2/x") == "ckpt-1");
    CHECK(glob("ckpt-*").unit_of("ckpt-7/shard-0") == "ckpt-7/shard-0");
    CHECK(glob("*.pt").unit_of("a/b.pt") == "a/b.pt");
    CHECK(glob("*.pt").unit_of("a/b.txt") == std::nullopt);
}

TEST_CASE("a pattern that cannot work is refused with the reason") {
    struct Row {
        std::string pattern{};
        std::string message{};
    };
    const std::vector<Row> rows = {
        {"", "is empty"},
        {"*.{pt,json}", "contains a brace"},
        {"../out/*", "leaves its root"},
        {"a/../b", "leaves its root"},
        {"a[bc", "can match nothing"},
        {"a\\", "can match nothing"},
        {"/", "names the root itself"},
        {".", "names the root itself"},
        {std::string("a\0b", 3), "contains a NUL byte"},
    };
    for (const Row& row : rows) {
        INFO(row.pattern);
        const auto compiled = Glob::compile(row.pattern);
        REQUIRE_FALSE(compiled);
        CHECK(compiled.error().code == Code::usage);
        CHECK(compiled.error().message.find(row.message) != std::string::npos);
    }
}

TEST_CASE("a walk may leave out directories that an anchored pattern cannot reach") {
    CHECK(glob("out/best/*.pt").may_cover_inside("out"));
    CHECK(glob("out/best/*.pt").may_cover_inside("out/best"));
    CHECK_FALSE(glob("out/best/*.pt").may_cover_inside("data"));
    CHECK_FALSE(glob("out/best/*.pt").may_cover_inside("out/bestial"));
    CHECK(glob("best/").may_cover_inside("anywhere"));
    CHECK(glob("/best/").may_cover_inside("best/deep/inside"));
    CHECK_FALSE(glob("/best/").may_cover_inside("data"));
    CHECK(glob("*.pt").may_cover_inside("anywhere"));
}

TEST_CASE("a hostile pattern costs no more than its length times the name's") {
    std::string pattern;
    for (int i = 0; i < 500; ++i)
        pattern += "*a";
    std::string deep;
    for (int i = 0; i < 20000; ++i)
        deep += "**/";
    CHECK_FALSE(glob(pattern + "b").covers(std::string(3000, 'a')));
    CHECK(glob(deep + "x").covers("a/b/x"));
}
