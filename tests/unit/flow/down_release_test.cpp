// Of the directories that pushes made, only what was deployed is explained when the box ends.
#include <sys/stat.h>

#include <catch2/catch_test_macros.hpp>

#include "down_stage.hpp"

using namespace drawhitch;
using support::closed_by;
using support::ids;
using support::read_file;
using support::write_file;
using Stage = support::DownStage;
namespace fs = std::filesystem;

namespace {

std::string release_of(Stage& stage) {
    std::string hash = read_file(stage.local().root() + "/current");
    hash.pop_back();
    return stage.local().root() + "/releases/" + hash;
}

flow::PushReport push(Stage& stage, const std::string& code) {
    const std::string file = stage.local().project_directory() + "/train.py";
    fs::remove(file);
    write_file(file, code);
    auto report = flow::push(stage.op, stage.deps(), {.box = "b1"});
    INFO((report ? "" : report.error().message));
    REQUIRE(report);
    return std::move(*report);
}

}  // namespace

TEST_CASE("a file that somebody put among the releases does not die unseen") {
    Stage stage;
    push(stage, "print(2)\n");
    REQUIRE(ids(stage.down({}, true)) == std::vector<std::string>{});
    const std::string releases = stage.local().root() + "/releases";
    const std::string in_force = release_of(stage);
    const std::string of_its_name = releases + "/" + std::string(64, 'a');
    const std::vector<std::string> places{in_force + "/ckpt",
                                          in_force,
                                          releases,
                                          releases + "/.staging",
                                          releases + "/mine",
                                          of_its_name,
                                          releases + "/kept-" + std::string(64, 'a') + "-01234567",
                                          stage.local().root() + "/envs",
                                          stage.local().root() + "/envs/torch"};
    std::vector<std::string> made;
    for (const std::string& place : places) {
        if (!fs::exists(place)) made.push_back(place);
        fs::create_directories(place);
        write_file(place + "/model.pt", "a week");
    }
    const auto report = stage.down({}, true);
    for (const std::string& place : places) {
        CAPTURE(place);
        CHECK(closed_by(report, "undeclared", place));
        fs::remove(place + "/model.pt");
    }
    for (const std::string& place : made)
        fs::remove_all(place);
    CHECK(ids(stage.down({}, true)) == std::vector<std::string>{});
}

TEST_CASE("code that was edited in a release, in force or old, is not explained by having been deployed") {
    Stage stage;
    const std::string old = release_of(stage);
    push(stage, "print('hallo')\n");
    for (const std::string& release : {old, release_of(stage)}) {
        CAPTURE(release);
        const std::string was = read_file(release + "/train.py");
        fs::remove(release + "/train.py");
        write_file(release + "/train.py", std::string(was.size(), '#'));
        CHECK(ids(stage.down({}, true)) == std::vector<std::string>{"undeclared " + release});
        write_file(release + "/train.py", was);
        CHECK(ids(stage.down({}, true)) == std::vector<std::string>{});
    }
}

TEST_CASE("what a push set aside is asked about file by file") {
    Stage stage;
    write_file(release_of(stage) + "/model.pt", "a week");
    fs::remove(release_of(stage) + "/train.py");
    const auto report = push(stage, read_file(stage.local().project_directory() + "/train.py"));
    REQUIRE(report.kept.size() == 1);
    const auto down = stage.down({}, true);
    CHECK(ids(down) == std::vector<std::string>{"undeclared " + report.kept[0].directory});
    REQUIRE(down.gate.reasons.size() == 1);
    CHECK(down.gate.reasons[0].files == 1);
}

TEST_CASE("an environment below the root is known by its mark, as anywhere") {
    Stage stage;
    const std::string place = stage.local().root() + "/envs/torch";
    fs::create_directories(place + "/bin");
    write_file(place + "/pyvenv.cfg", "home = /usr/bin\n");
    write_file(place + "/bin/python", "#!");
    CHECK(ids(stage.down({}, true)) == std::vector<std::string>{});
}

TEST_CASE("what an interrupted push left in staging is code like any other") {
    Stage stage;
    const auto pushed = push(stage, "print(3)\n");
    const std::string staging = stage.local().root() + "/releases/.staging";
    fs::create_directories(staging);
    fs::copy_file(pushed.directory + "/train.py", staging + "/train.py");
    CHECK(ids(stage.down({}, true)) == std::vector<std::string>{});
    write_file(staging + "/train.py", "print(4)\n");
    CHECK(closed_by(stage.down({}, true), "undeclared", staging));
}
