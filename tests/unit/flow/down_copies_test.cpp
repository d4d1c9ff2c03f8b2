// Whether what a receipt proves is still on the laptop when the box is about to end.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>

#include "down_stage.hpp"
#include "flow/down/down.hpp"
#include "flow/kept_copies.hpp"
#include "flow/overview.hpp"
#include "flow/pull.hpp"

using namespace drawhitch;
using Stage = support::DownStage;
using support::closed_by;
using support::read_file;
using support::write_file;

TEST_CASE("a copy that was removed or changed on the laptop after its pull opens no gate") {
    Stage stage;
    stage.finished_run();
    stage.pull();
    const auto copy = [&] {
        const auto covered = stage.local().ledger().covered(1);
        REQUIRE(covered);
        for (const auto& file : *covered)
            if (file.entry.file.path == "a.pt") return file.entry.local_path;
        return std::string{};
    }();
    REQUIRE(read_file(copy) == "abc");
    const auto at_risk = [&] {
        const auto view = flow::view_lease(stage.op, stage.local().ledger(), stage.lease(), flow::CopyCheck::thorough);
        REQUIRE(view);
        return !view->at_risk.empty();
    };
    CHECK_FALSE(at_risk());

    SECTION("removed") {
        REQUIRE(std::filesystem::remove(copy));
        CHECK(closed_by(stage.down(), "mislaid", stage.work() + "/a.pt"));
        CHECK(stage.down().gate.reasons.front().next == "drawhitch pull b1 r1");
        CHECK(at_risk());
        stage.pull();
        CHECK_FALSE(at_risk());
        CHECK(stage.down({}, true).gate.open);
    }
    SECTION("moved away with all the others") {
        std::filesystem::rename(copy.substr(0, copy.rfind('/')), stage.local().project_directory() + "/elsewhere");
        CHECK(closed_by(stage.down(), "mislaid", stage.work() + "/a.pt"));
        CHECK(at_risk());
    }
    SECTION("replaced by a link to the like") {
        std::filesystem::rename(copy, copy + ".real");
        std::filesystem::create_symlink(copy + ".real", copy);
        CHECK(closed_by(stage.down(), "mislaid", stage.work() + "/a.pt"));
    }
    SECTION("other bytes of the same number") {
        write_file(copy, "abd");
        CHECK(closed_by(stage.down(), "mislaid", stage.work() + "/a.pt"));
        CHECK(at_risk());
    }
    SECTION("other bytes of the same number, with the time set back") {
        const auto before = std::filesystem::last_write_time(copy);
        write_file(copy, "abd");
        std::filesystem::last_write_time(copy, before);
        CHECK(closed_by(stage.down(), "mislaid", stage.work() + "/a.pt"));
        CHECK(at_risk());
    }
    SECTION("a directory above it leads to the box itself") {
        const std::string directory = copy.substr(0, copy.rfind('/'));
        std::filesystem::rename(directory, directory + "-old");
        std::filesystem::create_directory_symlink(stage.work(), directory);
        REQUIRE(read_file(copy) == "abc");
        CHECK(closed_by(stage.down(), "copy-dies", stage.work() + "/a.pt"));
    }
    SECTION("all of them were moved to where the box's own files die, and a link leads there") {
        const std::string directory = copy.substr(0, copy.rfind('/'));
        std::filesystem::rename(directory, stage.box + "/mine");
        std::filesystem::create_directory_symlink(stage.box + "/mine", directory);
        REQUIRE(read_file(copy) == "abc");
        CHECK(closed_by(stage.down(), "copy-dies", stage.work() + "/a.pt"));
        CHECK(at_risk());
        const auto listed = flow::view_leases(stage.op, stage.local().ledger(), ledger::Which::open);
        REQUIRE(listed);
        CHECK_FALSE(listed->front().at_risk.empty());
    }
    SECTION("a directory above it leads to another place of the laptop") {
        const std::string directory = copy.substr(0, copy.rfind('/'));
        std::filesystem::rename(directory, directory + "-old");
        std::filesystem::create_directory_symlink(directory + "-old", directory);
        CHECK(stage.down({}, true).gate.open);
    }
    SECTION("touched, with the same bytes") {
        write_file(copy, "abc");
        CHECK(stage.down({}, true).gate.open);
        CHECK_FALSE(at_risk());
    }
    SECTION("removed, and pulled to another place as well") {
        const std::string elsewhere = stage.local().project_directory() + "/second";
        const auto again = flow::pull(stage.op, stage.deps(), {.box = "b1", .run = "r1", .to = elsewhere});
        REQUIRE(again);
        REQUIRE_FALSE(again->problem);
        REQUIRE(std::filesystem::remove(copy));
        CHECK(stage.down({}, true).gate.open);
        CHECK_FALSE(at_risk());
    }
}
