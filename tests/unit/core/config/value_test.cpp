#include "core/config/value.hpp"

#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <string>
#include <vector>

using namespace drawhitch;
using config::find_stray_letter;

TEST_CASE("letters beyond ASCII are fine in strings and comments, and found anywhere else") {
    const std::vector<std::string> fine = {
        "",
        "a = \"é\" # é\n# é",
        "a = 'é'",
        "a = \"\"\"é\n\"é\"\"\"\"\"\nb = 1",
        "a = '''é'é'''''\nb = 1",
        "a = \"\\\"é\"",
        "a = ''\nb = \"\" # é",
        "a = \"x # no comment é\"",
        std::string("\xEF\xBB\xBF") + "a = 1",
        "a = \"é",
        "a.\"é\".'é' = 1\n[b.\"é\"]\n[['é']]",
        "a = [\"é\",'é', {b.\"é\" = 'é', \"é\" = 1}, # é\n  'é' ]\nc.\"é\" = 1",
    };
    for (const std::string& text : fine) {
        INFO(text);
        CHECK_FALSE(find_stray_letter(text).has_value());
    }
    struct Row {
        std::string text{};
        int line{0};
        int column{0};
    };
    const std::vector<Row> stray = {
        {"é = 1", 1, 1},
        {"a = 1\nb = é", 2, 5},
        {"a = \"é\"é", 1, 8},
        {"a = \"\\é\"", 1, 7},
        {"a = \"\"\"\n\\é\"\"\"", 2, 2},
        {"a = ''é", 1, 7},
        {"a = '''x'''''é", 1, 14},
        {"a = \"open\né", 2, 1},
        {"a\xff", 1, 2},
        // A quote behind a word is a part of it.
        {"a = 1\"é\"", 1, 7},
        {"a = 1.'é'", 1, 8},
        {"a\"é\" = 1", 1, 3},
        {"a = [1.\"é\"]", 1, 9},
        {"a = {b = 1.'é'}", 1, 13},
        {"a = -[\"é\"]", 1, 8},
        {"a = [-{'é'}]", 1, 9},
        {"a = =\"é\"", 1, 7},
    };
    for (const Row& row : stray) {
        INFO(row.text);
        const auto at = find_stray_letter(row.text);
        REQUIRE(at.has_value());
        CHECK(at->line == row.line);
        CHECK(at->column == row.column);
    }
}

TEST_CASE("a document the TOML library stumbles over is a problem, not the end of the program") {
    for (const std::string text :
         {"[>x]", "[[>x]]", "a = \xef\xbb\x9f", "\xef\xbb\x9f = 1", "a = \"\"\"\\\xe3\x80\x81\"\"\"", "a.>b = 1",
          "a = 1\"\xc4\xa0\"", "a = 1.\"\xe1\x9a\x81\""}) {
        INFO(text);
        config::Log log;
        (void)config::parse_toml(text, log);
        CHECK(log.problems.size() == 1);
    }
}

TEST_CASE("values carry their kinds and places, keys in the order of the file") {
    config::Log log;
    const auto root =
        config::parse_toml("z = 1\na = [ 'x', 2.5 ]\n[t]\nd = 2026-06-30\nb = true\nwhen = 10:00:00\n", log);
    REQUIRE(log.problems.empty());
    REQUIRE(root.members.size() == 3);
    CHECK(root.members[0].key == "z");
    CHECK(root.members[1].items.at(1).number == 2.5);
    CHECK(root.members[1].items.at(1).at.column == 12);
    CHECK(root.members[1].end.column == 17);
    CHECK(root.members[2].members.at(0).date == model::Date{2026, 6, 30});
    CHECK(root.members[2].members.at(1).key_at.line == 5);
    CHECK(root.members[2].members.at(2).kind == config::ValueKind::other);
}
