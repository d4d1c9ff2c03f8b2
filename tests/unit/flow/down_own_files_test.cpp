// What drawhitch itself put on a box is not asked about when the box ends, and is no place to hide things in.
#include <sys/stat.h>

#include <catch2/catch_test_macros.hpp>

#include "down_stage.hpp"
#include "flow/cp.hpp"
#include "support/paths.hpp"

using namespace drawhitch;
using support::closed_by;
using support::ids;
using support::read_file;
using support::write_file;
using Stage = support::DownStage;

namespace {

void cp(Stage& stage, const std::string& box_path, const std::string& here, bool to_box) {
    const auto report = flow::cp(stage.op, stage.deps(), {"b1", box_path, here, to_box});
    INFO((report ? "" : report.error().message));
    REQUIRE(report);
    REQUIRE_FALSE(report->problem);
}

}  // namespace

TEST_CASE("what cp brought to a box is explained as long as it is the same") {
    Stage stage;
    support::TempDir here;
    std::filesystem::create_directories(here / "set/deep");
    write_file(here / "set/a.csv", "a");
    write_file(here / "set/deep/b\xff.csv", "b");
    cp(stage, stage.box + "/data/", here / "set", true);
    cp(stage, stage.box + "/top.csv", here / "set/a.csv", true);
    const auto report = stage.down({}, true);
    for (const auto& line : ids(report))
        UNSCOPED_INFO(line);
    CHECK(report.gate.open);
    write_file(stage.box + "/data/set/deep/b\xff.csv", "c");  // of the same size
    const auto changed = stage.down({}, true);
    CHECK(ids(changed) == std::vector<std::string>{"undeclared " + stage.box + "/data/set/deep"});
}

TEST_CASE("what cp took from a box is explained as long as it is the same") {
    Stage stage;
    support::TempDir here;
    std::filesystem::create_directories(stage.box + "/notes");
    write_file(stage.box + "/notes/ideas.txt", "precious");
    CHECK(closed_by(stage.down({}, true), "undeclared", stage.box + "/notes"));
    cp(stage, stage.box + "/notes", here.path(), false);
    CHECK(ids(stage.down({}, true)) == std::vector<std::string>{});
    write_file(stage.box + "/notes/ideas.txt", "PRECIOUS");
    CHECK(closed_by(stage.down({}, true), "undeclared", stage.box + "/notes"));
}

TEST_CASE("what cp copied is explained only as long as the laptop has it") {
    Stage stage;
    support::TempDir here;
    std::filesystem::create_directories(stage.box + "/notes");
    write_file(stage.box + "/notes/ideas.txt", "precious");
    std::string copy = here / "notes/ideas.txt";
    SECTION("taken from the box") {
        cp(stage, stage.box + "/notes", here.path(), false);
    }
    SECTION("brought to the box") {
        std::filesystem::remove_all(stage.box + "/notes");
        std::filesystem::create_directories(here / "notes");
        write_file(copy, "precious");
        cp(stage, stage.box + "/", here / "notes", true);
    }
    const auto named = [](const flow::DownReport& report, const std::string& name) {
        return std::ranges::any_of(report.gate.remarks,
                                   [&](const std::string& note) { return note.find(name) != std::string::npos; });
    };
    const auto open = stage.down({}, true);
    CHECK(open.gate.open);
    CHECK(named(open, copy));
    const auto lost = [&] {
        const auto report = stage.down({}, true);
        return closed_by(report, "undeclared", stage.box + "/notes") && named(report, stage.box + "/notes/ideas.txt");
    };
    write_file(copy, "PRECIOUS");
    CHECK(lost());
    REQUIRE(std::filesystem::remove(copy));
    CHECK(lost());
    std::filesystem::create_symlink(stage.box + "/notes/ideas.txt", copy);
    CHECK(lost());
    std::filesystem::remove_all(here / "notes");
    std::filesystem::create_directory_symlink(stage.box + "/notes", here / "notes");
    REQUIRE(support::read_file(copy) == "precious");
    CHECK(lost());
}

TEST_CASE("a copy in the very state in which cp knew it is not read again") {
    Stage stage;
    support::TempDir here;
    write_file(stage.box + "/ideas.txt", "precious");
    const std::string copy = here / "ideas.txt";
    cp(stage, stage.box + "/ideas.txt", here.path(), false);
    const std::string old = support::source_dir() + "/tests/golden/structure/model_bf16_a.pt";
    cp(stage, stage.box + "/", old, true);
    write_file(here / "young", "young");
    cp(stage, stage.box + "/", here / "young", true);
    const auto reads = [&](const std::string& path) {
        std::size_t count = 0;
        for (const std::string& text : stage.op.events().texts(EventKind::note))
            if (text.find("reading " + path) != std::string::npos) ++count;
        return count;
    };
    CHECK(ids(stage.down({}, true)) == std::vector<std::string>{});
    CHECK(reads(copy) == 0);
    CHECK(reads(old) == 0);
    CHECK(reads(here / "young") == 1);  // it might have been written twice in one tick of its clock

    SECTION("the same bytes, written again") {
        const auto before = std::filesystem::last_write_time(copy);
        write_file(copy, "precious");
        std::filesystem::last_write_time(copy, before);
        CHECK(ids(stage.down({}, true)) == std::vector<std::string>{});
        CHECK(reads(copy) == 1);
    }
    SECTION("other bytes under the old time") {
        const auto before = std::filesystem::last_write_time(copy);
        write_file(copy, "PRECIOUS");
        std::filesystem::last_write_time(copy, before);
        CHECK(closed_by(stage.down({}, true), "undeclared", stage.box));
        CHECK(reads(copy) == 1);
    }
    SECTION("another file in its place") {
        write_file(here / "new", "PRECIOUS");
        std::filesystem::last_write_time(here / "new", std::filesystem::last_write_time(copy));
        std::filesystem::rename(here / "new", copy);
        CHECK(closed_by(stage.down({}, true), "undeclared", stage.box));
    }
}

TEST_CASE("nothing hides in a directory of ours") {
    Stage stage;
    stage.finished_run();
    stage.pull();
    support::TempDir here;
    write_file(here / "f", "f");
    cp(stage, stage.box + "/", here / "f", true);
    cp(stage, stage.local().root() + "/", here / "f", true);
    REQUIRE(ids(stage.down({}, true)) == std::vector<std::string>{});
    std::vector<std::string> directories;
    for (const char* place : {"/.drawhitch", "/drawhitch/demo/.drawhitch", "/.drawhitch/parts",
                              "/.drawhitch/.drawhitch", "/drawhitch/demo/runs/r1/.drawhitch"}) {
        directories.push_back(stage.box + place);
        std::filesystem::create_directories(directories.back());
    }
    // A look costs a second: one for each name, in all the places at once.
    for (const char* name : {"best.pt", "gate", "push-12"}) {
        std::map<std::string, bool> was_there;
        for (const std::string& directory : directories) {
            const std::string file = directory + "/" + name;
            was_there[file] = std::filesystem::exists(file);
            write_file(file, std::string(5000, 'x'));
        }
        const auto report = stage.down({}, true);
        for (const std::string& directory : directories) {
            CAPTURE(directory, name);
            CHECK(closed_by(report, "undeclared", directory));
        }
        for (const auto& [file, there] : was_there) {
            if (there) write_file(file, "");
            if (!there) std::filesystem::remove(file);
        }
    }
    CHECK(ids(stage.down({}, true)) == std::vector<std::string>{});
}

TEST_CASE("nothing hides in our small files") {
    Stage stage;
    stage.finished_run();
    stage.pull();
    REQUIRE(ids(stage.down({}, true)) == std::vector<std::string>{});
    const std::string root = stage.local().root();
    std::vector<std::string> files;
    for (const char* name : {"/current", "/latest", "/.drawhitch/epoch", "/runs/r1/claim", "/runs/r1/release",
                             "/runs/r1/oom_file", "/runs/r1/attempt", "/runs/r1/gpus", "/runs/r1/start.json"}) {
        files.push_back(root + name);
        std::filesystem::remove(files.back());
        write_file(files.back(), "epoch,loss\n1,0.91\n");
    }
    const auto report = stage.down({}, true);
    std::vector<std::string> told;
    for (const auto& reason : report.gate.reasons)
        for (const auto& file : reason.listed)
            told.push_back(file.path);
    std::ranges::sort(files);
    std::ranges::sort(told);
    CHECK(told == files);
}

TEST_CASE("nothing hides beside a run's work tree") {
    Stage stage;
    stage.finished_run();
    stage.pull();
    const std::string directory = stage.local().root() + "/runs/r1";
    write_file(directory + "/stage.pt", "x");
    CHECK(closed_by(stage.down({}, true), "undeclared", directory));
}

TEST_CASE(
    "environment files of runs that this ledger knows nothing of are ours by their names, and nothing beside them") {
    Stage stage;
    const std::string folder = stage.box + "/drawhitch-" + std::to_string(::getuid());
    std::filesystem::create_directories(folder);
    write_file(folder + "/other.r1.0123abcd.env", "export A=1\n");
    const auto report = stage.down({}, true);
    for (const auto& line : ids(report))
        UNSCOPED_INFO(line);
    CHECK(report.gate.open);
    write_file(folder + "/other.pt", "x");
    CHECK(ids(stage.down({}, true)) == std::vector<std::string>{"undeclared " + folder});
}
