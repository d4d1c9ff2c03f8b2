#include "core/config/dirs.hpp"

#include <catch2/catch_test_macros.hpp>
#include <map>
#include <string>

using namespace drawhitch;

namespace {

Result<config::Dirs> dirs(std::map<std::string, std::string> variables) {
    return config::find_dirs([variables](const std::string& name) -> std::optional<std::string> {
        const auto at = variables.find(name);
        return at == variables.end() ? std::nullopt : std::optional<std::string>(at->second);
    });
}

}  // namespace

TEST_CASE("directories follow the XDG variables, and HOME without them") {
    const auto home = dirs({{"HOME", "/home/u/"}});
    REQUIRE(home);
    CHECK(home->home == "/home/u");
    CHECK(home->state == "/home/u/.local/state/drawhitch");
    CHECK(home->config == "/home/u/.config/drawhitch");
    const auto xdg = dirs({{"HOME", "/home/u"}, {"XDG_STATE_HOME", "/s//"}, {"XDG_CONFIG_HOME", "relative"}});
    REQUIRE(xdg);
    CHECK(xdg->state == "/s/drawhitch");
    CHECK(xdg->config == "/home/u/.config/drawhitch");
    const auto homeless = dirs({{"XDG_STATE_HOME", "/s"}, {"XDG_CONFIG_HOME", "/c"}});
    REQUIRE(homeless);
    CHECK(homeless->home.empty());
    CHECK(homeless->config == "/c/drawhitch");
    CHECK(dirs({{"HOME", "/"}})->state == "/.local/state/drawhitch");
}

TEST_CASE("without HOME and XDG variables the error says which to set") {
    for (const auto& variables : {std::map<std::string, std::string>{}, {{"HOME", ""}}, {{"HOME", "home"}}}) {
        const auto none = dirs(variables);
        REQUIRE_FALSE(none);
        CHECK(none.error().code == Code::config);
        CHECK(none.error().message == "neither XDG_STATE_HOME nor HOME is set to an absolute path");
        CHECK(none.error().next.starts_with("export HOME="));
    }
    CHECK(dirs({{"XDG_STATE_HOME", "/s"}}).error().message ==
          "neither XDG_CONFIG_HOME nor HOME is set to an absolute path");
}
