#include "io/disk/config_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <string>

#include "support/temp_dir.hpp"

using namespace drawhitch;
using support::TempDir;
using support::write_file;

namespace {

constexpr std::string_view k_name = "drawhitch.toml";

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

unsigned a_stranger() {
    return disk::current_user() + 1;
}

}  // namespace

TEST_CASE("the project file is found upwards, the nearest first") {
    const TempDir tmp;
    std::filesystem::create_directories(tmp / "a/b/c");
    write_file(tmp / "drawhitch.toml", "outer");
    write_file(tmp / "a/b/drawhitch.toml", "inner");
    CHECK(disk::find_upwards(tmp / "a/b/c", k_name)->found->text == "inner");
    CHECK(disk::find_upwards(tmp / "a/b/c/", k_name)->found->path == tmp / "a/b/drawhitch.toml");
    CHECK(disk::find_upwards(tmp / "a", k_name)->found->text == "outer");
    CHECK_FALSE(disk::find_upwards("/", "no-such-file.toml")->found.has_value());
}

TEST_CASE("another user's project file, and one everybody may write, are passed over and said") {
    const TempDir tmp;
    std::filesystem::create_directories(tmp / "a/b");
    write_file(tmp / "drawhitch.toml", "outer");
    write_file(tmp / "a/drawhitch.toml", "loose", 0666);
    const auto loose = disk::find_upwards(tmp / "a/b", k_name);
    REQUIRE(loose);
    CHECK(loose->found->text == "outer");
    REQUIRE(loose->ignored.size() == 1);
    CHECK(contains(loose->ignored[0], "every user may write it; after chmod o-w"));

    const auto strange = disk::find_upwards(tmp / "a/b", k_name, a_stranger());
    REQUIRE(strange);
    CHECK_FALSE(strange->found.has_value());
    REQUIRE(strange->ignored.size() >= 2);
    CHECK(contains(strange->ignored[0], "is ignored: it belongs to another user"));
}

TEST_CASE("a pipe or a directory with the project file's name is passed over without waiting") {
    const TempDir tmp;
    std::filesystem::create_directories(tmp / "a/b");
    REQUIRE(::mkfifo((tmp / "a/b/drawhitch.toml").c_str(), 0600) == 0);
    std::filesystem::create_directories(tmp / "a/drawhitch.toml");
    write_file(tmp / "drawhitch.toml", "outer");
    const auto found = disk::find_upwards(tmp / "a/b", k_name);
    REQUIRE(found);
    CHECK(found->found->text == "outer");
    CHECK(found->ignored.size() == 2);
}

TEST_CASE("a dangling link and a link loop with the project file's name do no harm") {
    const TempDir tmp;
    std::filesystem::create_directories(tmp / "a/b");
    std::filesystem::create_symlink("nowhere", tmp / "a/b/drawhitch.toml");
    std::filesystem::create_symlink("drawhitch.toml", tmp / "a/drawhitch.toml");
    write_file(tmp / "drawhitch.toml", "outer");
    CHECK(disk::find_upwards(tmp / "a/b", k_name)->found->text == "outer");
}

TEST_CASE("our own project file that is too large is an error, not a reason to look further up") {
    const TempDir tmp;
    std::filesystem::create_directories(tmp / "a");
    write_file(tmp / "drawhitch.toml", "outer");
    write_file(tmp / "a/drawhitch.toml", std::string(disk::k_config_file_limit + 1, '#'));
    const auto found = disk::find_upwards(tmp / "a", k_name);
    REQUIRE_FALSE(found);
    CHECK(found.error().code == Code::config);
    CHECK(contains(found.error().message, "is larger than 1.0 MiB"));
}

TEST_CASE("the user's own file is refused when somebody else could have written it") {
    const TempDir tmp;
    CHECK_FALSE(disk::read_user_file(tmp / "config.toml")->has_value());
    write_file(tmp / "config.toml", "x", 0600);
    CHECK((*disk::read_user_file(tmp / "config.toml"))->text == "x");
    ::chmod((tmp / "config.toml").c_str(), 0606);
    const auto loose = disk::read_user_file(tmp / "config.toml");
    REQUIRE_FALSE(loose);
    CHECK(loose.error().code == Code::permission);
    CHECK(loose.error().next == "chmod o-w '" + (tmp / "config.toml") + "'");
    ::chmod((tmp / "config.toml").c_str(), 0600);
    if (disk::current_user() != 0) {
        const auto strange = disk::read_user_file(tmp / "config.toml", a_stranger());
        REQUIRE_FALSE(strange);
        CHECK(contains(strange.error().message, "it belongs to another user"));
    } else {
        CHECK(disk::read_user_file(tmp / "config.toml", a_stranger()));  // root's files are everybody's ground
    }
    CHECK(disk::read_user_file(tmp.path()).error().code == Code::config);
}

TEST_CASE("the state directory is made private, and a looser one is refused with the command that mends it") {
    const TempDir tmp;
    const std::string state = tmp / "state/drawhitch";
    REQUIRE(disk::private_directory(state));
    struct stat found {};
    REQUIRE(::stat(state.c_str(), &found) == 0);
    CHECK((found.st_mode & 07777U) == 0700);
    CHECK(disk::private_directory(state));
    for (const mode_t mode : {0750U, 0701U, 0777U, 01777U}) {
        ::chmod(state.c_str(), mode);
        const auto loose = disk::private_directory(state);
        REQUIRE_FALSE(loose);
        CHECK(loose.error().code == Code::permission);
        CHECK(loose.error().next == "chmod 700 '" + state + "'");
    }
    ::chmod(state.c_str(), 0700);
    const auto strange = disk::private_directory(state, a_stranger());
    REQUIRE_FALSE(strange);
    CHECK(contains(strange.error().message, "it belongs to another user"));
    write_file(tmp / "file", "");
    CHECK_FALSE(disk::private_directory(tmp / "file"));
    CHECK_FALSE(disk::private_directory(tmp / "file/below"));
}
