#include "io/disk/profile_store.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "io/disk/embedded_file.hpp"
#include "support/paths.hpp"
#include "support/temp_dir.hpp"

using namespace drawhitch;
using disk::ProfileStore;

TEST_CASE("the shipped profiles and the project template are built in, byte for byte") {
    const ProfileStore store("/nowhere");
    for (const auto& entry : std::filesystem::directory_iterator(support::source_dir() + "/profiles")) {
        const auto text = store.read(entry.path().stem().string());
        REQUIRE(text);
        CHECK(text->built_in);
        CHECK(text->text == support::read_file(entry.path()));
    }
    CHECK(disk::project_template() == support::read_file(support::source_dir() + "/templates/drawhitch.toml"));
}

TEST_CASE("the user's profiles add to the shipped ones and stand above them") {
    const support::TempDir config;
    std::filesystem::create_directories(config / "profiles");
    support::write_file(config / "profiles/lab.toml", "mine");
    support::write_file(config / "profiles/local.toml", "my local");
    support::write_file(config / "profiles/Odd Name.toml", "");
    support::write_file(config / "profiles/notes.txt", "");
    const ProfileStore store(config.path());
    CHECK(store.ids().value_or({}) == std::vector<std::string>{"generic-ssh", "lab", "local"});
    const auto lab = store.read("lab");
    REQUIRE(lab);
    CHECK(lab->text == "mine");
    CHECK(lab->file == config / "profiles/lab.toml");
    CHECK_FALSE(lab->overrides);
    const auto local = store.read("local");
    REQUIRE(local);
    CHECK(local->text == "my local");
    CHECK(local->overrides);
    CHECK_FALSE(local->built_in);
}

TEST_CASE("an unknown profile is named with those there are, and no id leaves the folder") {
    const support::TempDir config;
    std::filesystem::create_directories(config / "profiles");
    support::write_file(config / "outside.toml", "outside");
    const ProfileStore store(config.path());
    for (const std::string id : {"runpot", "../outside", "", "a/b", "-x"}) {
        const auto text = store.read(id);
        INFO(id);
        REQUIRE_FALSE(text);
        CHECK(text.error().code == Code::not_found);
        CHECK(text.error().why.find("known: generic-ssh, local") == 0);
    }
}

TEST_CASE("a user's profile that everybody may write is refused, not replaced by the shipped one") {
    const support::TempDir config;
    std::filesystem::create_directories(config / "profiles");
    support::write_file(config / "profiles/local.toml", "x", 0666);
    CHECK(ProfileStore(config.path()).read("local").error().code == Code::permission);
}
