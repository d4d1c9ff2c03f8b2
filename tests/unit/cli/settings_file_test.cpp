#include "cli/settings_file.hpp"

#include <catch2/catch_test_macros.hpp>
#include <map>

#include "support/temp_dir.hpp"

using namespace drawhitch;
using namespace drawhitch::cli;

namespace {

Environment environment(std::map<std::string, std::string> variables) {
    return [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
        const auto at = variables.find(name);
        return at == variables.end() ? std::nullopt : std::optional{at->second};
    };
}

}  // namespace

TEST_CASE("config.toml lies in the user's configuration directory, unless another is named") {
    CHECK(settings_file({}, environment({{"HOME", "/home/me"}}), "/work") == "/home/me/.config/drawhitch/config.toml");
    CHECK(settings_file({}, environment({{"HOME", "/h"}, {"XDG_CONFIG_HOME", "/c"}}), "/work") ==
          "/c/drawhitch/config.toml");
    CHECK(settings_file({.config = "mine.toml"}, environment({}), "/work") == "/work/mine.toml");
    CHECK_FALSE(settings_file({}, environment({}), "/work"));
}

TEST_CASE("config.toml may be missing, unless it was named") {
    const support::TempDir dir;
    const Environment home = environment({{"XDG_CONFIG_HOME", dir.path()}});
    CHECK(read_settings({}, home, "/work"));
    CHECK(read_settings({}, environment({}), "/work"));
    CHECK(read_settings({.config = "none.toml"}, home, dir.path()).error().code == Code::config);
    support::write_file(dir / "mine.toml", "plain = true\ntimeout_s = 90\n");
    const auto settings = read_settings({.config = "mine.toml"}, home, dir.path());
    REQUIRE(settings);
    CHECK(settings->plain == true);
    support::write_file(dir / "mine.toml", "plain = 3\n");
    CHECK(read_settings({.config = "mine.toml"}, home, dir.path()).error().code == Code::config);
}
