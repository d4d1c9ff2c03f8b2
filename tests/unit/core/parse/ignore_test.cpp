#include "core/parse/ignore.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

using namespace drawhitch;
using parse::IgnoreLayer;
using parse::IgnoreRules;

namespace {

bool ignored(std::string_view lines, std::string_view path, bool is_directory = false) {
    IgnoreRules rules;
    rules.add(IgnoreLayer::gitignore, "", ".gitignore", lines);
    return rules.judge_with_parents(path, is_directory).ignored;
}

}  // namespace

TEST_CASE("one ignore file decides as git does") {
    struct Row {
        std::string lines{};
        std::string path{};
        bool is_directory{false};
        bool ignored{false};
    };
    const std::vector<Row> rows = {
        {"*.log", "a/b.log", false, true},
        {"*.log\n!keep.log", "keep.log", false, false},
        {"!keep.log\n*.log", "keep.log", false, true},
        {"data/", "data", true, true},
        {"data/", "data", false, false},
        {"data/", "x/data/y", false, true},
        {"data/\n!data/keep", "data/keep", false, true},
        {"data/*\n!data/keep", "data/keep", false, false},
        {"/top", "a/top", false, false},
        {"a/b", "a/b", false, true},
        {"a/b", "x/a/b", false, false},
        {"**/b", "x/y/b", false, true},
        {"a/**", "a", true, false},
        {"a/**/z", "a/z", false, true},
        {"#x", "#x", false, false},
        {"\\#x", "#x", false, true},
        {"\\!x", "!x", false, true},
        {"a ", "a", false, true},
        {"a\\ ", "a ", false, true},
        {"a\\ ", "a", false, false},
        {"a\r\nb\r\n", "a", false, true},
        {"\xEF\xBB\xBF*.log", "x.log", false, true},
        {"[a-c]x", "bx", false, true},
        {"[!a-c]x", "bx", false, false},
        {"[[:digit:]]x", "4x", false, true},
        {"[]]x", "]x", false, true},
        {"a[", "a[", false, false},
        {"*", "anything", false, true},
        {"foo**/bar", "foox/y/bar", false, true},  // git's own oddity
    };
    for (const Row& row : rows) {
        INFO(row.lines << " on " << row.path);
        CHECK(ignored(row.lines, row.path, row.is_directory) == row.ignored);
    }
}

TEST_CASE("an ignore file in a deeper directory stands above its parents and speaks of its own directory only") {
    IgnoreRules rules;
    rules.add(IgnoreLayer::gitignore, "", ".gitignore", "*.bin\n");
    rules.add(IgnoreLayer::gitignore, "keep", "keep/.gitignore", "!*.bin\n/own\n");
    CHECK(rules.judge_with_parents("x.bin", false).ignored);
    CHECK_FALSE(rules.judge_with_parents("keep/x.bin", false).ignored);
    CHECK(rules.judge_with_parents("keep/own", false).ignored);
    CHECK_FALSE(rules.judge_with_parents("own", false).ignored);
    CHECK_FALSE(rules.judge_with_parents("keep/sub/own", false).ignored);
    CHECK(rules.judge_with_parents("keeper/x.bin", false).ignored);
}

TEST_CASE(".drawhitchignore and the project file stand above every .gitignore, the built-in lines below") {
    IgnoreRules rules;
    rules.add(IgnoreLayer::gitignore, "deep", "deep/.gitignore", "wanted.bin\n");
    rules.add(IgnoreLayer::drawhitchignore, "", ".drawhitchignore", "!wanted.bin\n!*.pyc\nheld.bin\n");
    rules.add(IgnoreLayer::project, "", "drawhitch.toml", "!held.bin\n");
    CHECK_FALSE(rules.judge_with_parents("deep/wanted.bin", false).ignored);
    CHECK_FALSE(rules.judge_with_parents("a.pyc", false).ignored);
    CHECK_FALSE(rules.judge_with_parents("held.bin", false).ignored);
    CHECK(rules.judge_with_parents("node_modules/x/y.js", false).ignored);
    CHECK(rules.judge_with_parents("pulls/b1/r1/model.pt", false).ignored);
    CHECK_FALSE(rules.judge_with_parents("src/pulls/x", false).ignored);
}

TEST_CASE("nothing brings .git and .drawhitch back") {
    IgnoreRules rules;
    rules.add(IgnoreLayer::project, "", "drawhitch.toml", "!.git\n!.git/**\n!.drawhitch\n");
    CHECK(rules.judge_with_parents(".git/config", false).ignored);
    CHECK(rules.judge_with_parents("sub/.git", false).ignored);
    CHECK(rules.judge_with_parents("sub/.git", true).ignored);
    CHECK(rules.judge_with_parents(".drawhitch/x", false).ignored);
    CHECK_FALSE(rules.judge_with_parents(".github/x", false).ignored);
}

TEST_CASE("the verdict names the line that decided") {
    IgnoreRules rules;
    rules.add(IgnoreLayer::gitignore, "a", "a/.gitignore", "# first\n\n*.bin  \n");
    const auto verdict = rules.judge("a/x.bin", false);
    CHECK(verdict.ignored);
    CHECK(verdict.file == "a/.gitignore");
    CHECK(verdict.line == 3);
    CHECK(verdict.pattern == "*.bin");
    CHECK(rules.judge("a/y", false).file.empty());
}

TEST_CASE("a directory of any name can be ignored exactly") {
    for (const std::string name :
         {"results", "a b", "odd [x]*?", "back\\slash", "#out", "!out", "deep/er", " lead", "trail "}) {
        IgnoreRules rules;
        rules.add(IgnoreLayer::builtin, "", "(built in)", parse::line_for_directory(name));
        INFO(parse::line_for_directory(name));
        CHECK(rules.judge_with_parents(name, true).ignored);
        CHECK(rules.judge_with_parents(name + "/x", false).ignored);
        CHECK_FALSE(rules.judge_with_parents(name + "x", true).ignored);
        CHECK_FALSE(rules.judge_with_parents("in/" + name, true).ignored);
    }
    CHECK_FALSE(ignored(parse::line_for_directory("o*"), "other", true));
}
