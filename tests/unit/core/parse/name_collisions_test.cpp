#include "core/parse/name_collisions.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

using namespace drawhitch::parse;

namespace {

constexpr NameRules k_mac{true, true};
constexpr NameRules k_case{true, false};
constexpr NameRules k_form{false, true};
constexpr NameRules k_linux{false, false};

// The decomposed form of a few letters, spelled in bytes: the base letter and combining marks.
const std::string k_acute = "\xCC\x81";
const std::string k_circumflex = "\xCC\x82";
const std::string k_dot_below = "\xCC\xA3";
const std::string k_diaeresis = "\xCC\x88";

}  // namespace

TEST_CASE("names are the same exactly where the destination says so") {
    struct Row {
        std::string one{};
        std::string other{};
        bool by_case{false};
        bool by_form{false};
        bool by_both{false};
    };
    const std::vector<Row> rows = {
        {"Readme", "README", true, false, true},
        {"a", "b", false, false, false},
        {"é.txt", "e" + k_acute + ".txt", false, true, true},
        {"É", "e" + k_acute, false, false, true},
        {"É", "é", true, false, true},
        {"ấ", "a" + k_circumflex + k_acute, false, true, true},
        {"ậ", "a" + k_dot_below + k_circumflex, false, true, true},
        {"Ü", "u" + k_diaeresis, false, false, true},
        {"ß", "ss", false, false, false},
        {"ÿ", "Ÿ", true, false, true},
        {"×", "÷", false, false, false},
        {"ŀ", "Ŀ", true, false, true},
        {"ž", "Ž", true, false, true},
        {"Σίσυφος", "ΣΊΣΥΦΟΣ", true, false, true},
        {"Привет", "ПРИВЕТ", true, false, true},
        {"Ёж", "ёЖ", true, false, true},
        {"й", "и\xCC\x86", false, true, true},
        {"が", "か\xE3\x82\x99", false, true, true},
        {"한글", "\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB\xE1\x84\x80\xE1\x85\xB3\xE1\x86\xAF", false, true, true},
        {"😀ü", "😀u" + k_diaeresis, false, true, true},
        {"a\xff", "A\xff", true, false, true},
        {"\xc3", "\xc2", false, false, false},
        {"\xed\xa0\x80", "\xed\xa0\x81", false, false, false},
        {"文件", "文件", true, true, true},
        {"İ", "i", false, false, false},
    };
    for (const Row& row : rows) {
        INFO(row.one << " / " << row.other);
        const auto same = [&](const NameRules& rules) {
            return fold_name(row.one, rules) == fold_name(row.other, rules);
        };
        CHECK(same(k_case) == row.by_case);
        CHECK(same(k_form) == row.by_form);
        CHECK(same(k_mac) == row.by_both);
        CHECK(same(k_linux) == (row.one == row.other));
    }
}

TEST_CASE("colliding names are listed as pairs, each with a free name to go to") {
    const std::vector<std::string> paths = {"é.txt", "e" + k_acute + ".txt", "Readme", "README", "plain"};
    const auto mac = colliding_names(paths, k_mac);
    REQUIRE(mac.size() == 2);
    CHECK(mac[0].first == "README");
    CHECK(mac[0].second == "Readme");
    CHECK(mac[0].rename == "Readme~2");
    CHECK(mac[1].first == "e" + k_acute + ".txt");
    CHECK(mac[1].second == "é.txt");
    CHECK(mac[1].rename == "é~2.txt");
    CHECK(colliding_names(paths, k_linux).empty());
    CHECK(colliding_names(paths, k_case).size() == 1);
    CHECK(colliding_names(paths, k_form).size() == 1);
}

TEST_CASE("directories collide, too, and what lies below them is not listed again") {
    const std::vector<std::string> paths = {"Out/a/x", "out/a/x", "out/a/X", "sub/Log", "sub/log", "sub2/log"};
    const auto found = colliding_names(paths, k_mac);
    REQUIRE(found.size() == 3);
    CHECK((found[0].first == "Out" && found[0].second == "out"));
    CHECK((found[1].first == "out/a/X" && found[1].second == "out/a/x"));
    CHECK((found[2].first == "sub/Log" && found[2].rename == "sub/log~2"));
}

TEST_CASE("three names for one are two pairs with different free names, and the list has a bound") {
    const auto three = colliding_names(std::vector<std::string>{"a.b", "A.b", "a.B", "A~2.b"}, k_mac);
    REQUIRE(three.size() == 2);
    CHECK(three[0].first == "A.b");
    CHECK(three[0].rename == "a~3.B");
    CHECK(three[1].rename == "a~4.b");
    std::vector<std::string> many;
    for (int i = 0; i < 50; ++i) {
        many.push_back("x" + std::to_string(i));
        many.push_back("X" + std::to_string(i));
    }
    CHECK(colliding_names(many, k_mac, 7).size() == 7);
}
