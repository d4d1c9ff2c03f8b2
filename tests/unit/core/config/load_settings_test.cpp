#include "core/config/load_settings.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

using namespace drawhitch;
using config::load_settings;
using config::with_setting;

namespace {

std::string set(std::string_view text, std::string_view key, std::string_view value) {
    auto edited = with_setting(text, "config.toml", key, value);
    INFO(text << " / " << key);
    REQUIRE(edited);
    return *edited;
}

}  // namespace

TEST_CASE("config.toml sets defaults; what it leaves out stays unset") {
    const auto loaded = load_settings(
        "profile = \"local\"\ncolor = \"never\"\nplain = true\ntimeout_s = 60\n[connection]\npoll_s = 5\n",
        "config.toml");
    REQUIRE(loaded.ok());
    CHECK(loaded.value.profile == "local");
    CHECK(loaded.value.color == model::Color::never);
    CHECK(loaded.value.plain == true);
    CHECK(loaded.value.timeout_s == 60);
    CHECK(loaded.value.connection.poll_s == 5);
    CHECK_FALSE(loaded.value.no_input.has_value());
    CHECK_FALSE(load_settings("colour = \"never\"", "config.toml").ok());
}

TEST_CASE("every setting row can be set, read back and removed again") {
    for (const auto& row : config::setting_rows()) {
        INFO(row.key);
        const std::string value = row.kind == config::SettingKind::integer ? "30"
                                  : row.kind == config::SettingKind::flag  ? "true"
                                  : row.key == "color"                     ? "never"
                                  : row.key == "connection.bandwidth"      ? "20M"
                                  : row.key == "connection.transport"      ? "openssh"
                                                                           : "some-name";
        const std::string text = set("# mine\n", row.key, value);
        const auto loaded = load_settings(text, "config.toml");
        REQUIRE(loaded.ok());
        CHECK(config::setting_value(loaded.value, row.key) == value);
        const auto removed = load_settings(set(text, row.key, ""), "config.toml");
        CHECK_FALSE(config::setting_value(removed.value, row.key).has_value());
    }
}

TEST_CASE("changing one setting keeps the rest of the file, comments included") {
    struct Row {
        std::string before{};
        std::string key{};
        std::string value{};
        std::string after{};
    };
    const std::vector<Row> rows = {
        {"", "color", "never", "color = \"never\"\n"},
        {"# top\n[connection]\npoll_s = 5 # often\n", "connection.poll_s", "50",
         "# top\n[connection]\npoll_s = 50 # often\n"},
        {"# top\n[connection]\npoll_s = 5\n", "color", "never", "color = \"never\"\n# top\n[connection]\npoll_s = 5\n"},
        {"[connection]\npoll_s = 5", "connection.max_connections", "2",
         "[connection]\nmax_connections = 2\npoll_s = 5"},
        {"[connection]", "connection.poll_s", "5", "[connection]\npoll_s = 5\n"},
        {"color = \"auto\"", "connection.poll_s", "5", "color = \"auto\"\n\n[connection]\npoll_s = 5\n"},
        {"color = \"auto\" # why\nplain = true\n", "color", "", "plain = true\n"},
        {"log_file = \"/\xc3\xa9 # no comment\" # c\n", "log_file", "/x\"y", "log_file = \"/x\\\"y\" # c\n"},
        {"connection.poll_s = 5\n", "connection.poll_s", "6", "connection.poll_s = 6\n"},
        {"connection = { poll_s = 5 }\n", "connection.poll_s", "6", "connection = { poll_s = 6 }\n"},
        {"log_file = \"\"\"a\nb\"\"\"\nplain = true\n", "log_file", "", "plain = true\n"},
        {"\xEF\xBB\xBFplain = true\n", "color", "never",
         "\xEF\xBB\xBF"
         "color = \"never\"\nplain = true\n"},
        {"plain = true\r\n", "plain", "false", "plain = false\r\n"},
    };
    for (const Row& row : rows)
        CHECK(set(row.before, row.key, row.value) == row.after);
}

TEST_CASE("a setting that cannot be made is refused and says why") {
    struct Row {
        std::string before{};
        std::string key{};
        std::string value{};
        Code code{};
        std::string message{};
    };
    const std::vector<Row> rows = {
        {"", "colour", "never", Code::usage, "there is no setting 'colour', did you mean 'color'?"},
        {"", "color", "sometimes", Code::usage, "'color' knows no 'sometimes'"},
        {"", "plain", "yes", Code::usage, "'plain' takes true or false, not 'yes'"},
        {"", "connection.poll_s", "fast", Code::usage, "takes a whole number"},
        {"", "connection.poll_s", "0", Code::usage, "must lie between 1 and 3600"},
        {"", "log_file", "\xff", Code::usage, "takes UTF-8 text"},
        {"colour = 1\n", "color", "never", Code::config, "unknown key 'colour'"},
        {"connection = { poll_s = 5 }\n", "connection.max_connections", "6", Code::config, "cannot change"},
    };
    for (const Row& row : rows) {
        INFO(row.key << " = " << row.value);
        const auto edited = with_setting(row.before, "config.toml", row.key, row.value);
        REQUIRE_FALSE(edited);
        CHECK(edited.error().code == row.code);
        CHECK(edited.error().message.find(row.message) != std::string::npos);
    }
}
