#include "core/proto/path.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string>

#include "core/proto/limits.hpp"

using namespace drawhitch::proto;

TEST_CASE("only relative paths of real names are safe") {
    for (const std::string_view good :
         {"a", "a/b", "a b/c\nd", "\xFF\xFE", "...", ".hidden", "a/.../b", "-rf", "a\\b", "\x1b[31m"})
        CHECK(is_safe_path(good));
    for (const std::string_view bad : {"", "/", "/a", "a/", "a//b", ".", "..", "a/..", "../a", "a/./b", "./a"})
        CHECK_FALSE(is_safe_path(bad));
    CHECK_FALSE(is_safe_path(std::string_view("a\0b", 3)));
}

TEST_CASE("names and paths have a longest length") {
    CHECK(is_safe_path(std::string(k_name_max, 'n')));
    CHECK_FALSE(is_safe_path(std::string(k_name_max + 1, 'n')));
    std::string deep;
    while (deep.size() + 2 <= k_path_max)
        deep += "a/";
    deep.resize(k_path_max - 1);
    CHECK(is_safe_path(deep));
    CHECK_FALSE(is_safe_path(deep + "bcd"));
}

TEST_CASE("being inside is decided by components, not by text") {
    CHECK(is_within("data/x", "data"));
    CHECK(is_within("data", "data"));
    CHECK(is_within("anything", ""));
    CHECK_FALSE(is_within("data2/x", "data"));
    CHECK_FALSE(is_within("dat", "data"));
    CHECK(is_private(".drawhitch/parts/x"));
    CHECK_FALSE(is_private(".drawhitchignore"));
    CHECK_FALSE(is_private("a/.drawhitch"));
}

TEST_CASE("paths come apart into parent, name and components") {
    CHECK(path_parent("a/b/c") == "a/b");
    CHECK(path_name("a/b/c") == "c");
    CHECK(path_parent("a").empty());
    CHECK(path_name("a") == "a");
    CHECK(path_components("a/b").size() == 2);
    CHECK(path_components("").empty());
}

TEST_CASE("scan order keeps a directory together with its content") {
    std::vector<std::string> paths{"b", "a-b", "a/z", "a", "a/b/c", "a/b", "\xC3\xA9", "Z", "a.b", "a/b-c"};
    std::sort(paths.begin(), paths.end(), scan_less);
    const std::vector<std::string> expected{"Z", "a", "a/b", "a/b/c", "a/b-c", "a/z", "a-b", "a.b", "b", "\xC3\xA9"};
    CHECK(paths == expected);
    CHECK_FALSE(scan_less("a", "a"));
}
