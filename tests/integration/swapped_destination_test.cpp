// Somebody who moves, links or replaces the directories of the laptop while files are pulled or copied into them: what
// is reported as here is here, under its own name.
#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <filesystem>
#include <functional>
#include <stdexcept>

#include "flow/cp.hpp"
#include "support/eventful_box.hpp"
#include "support/finished_run.hpp"
#include "support/temp_dir.hpp"
#include "support/transfer_bench.hpp"

using namespace drawhitch;
using flow::FileState;
using model::RosterClass;
using proto::MessageType;
using support::pulled_file;

namespace {

namespace fs = std::filesystem;

constexpr std::size_t k_mebibyte = 1U << 20U;
// Of 96 a file: the first file is in place by then, the second is on its way.
constexpr int k_in_second_file = 150;

struct Swap {
    const char* what{};
    std::function<void(const std::string& there)> make{};
};

// Ways to take "a" away from below the pull, and the whole of it.
std::vector<Swap> swaps(const std::string& elsewhere) {
    const auto away = [](const std::string& there) { fs::rename(there + "/a", there + "/ax"); };
    return {
        {"moved away", away},
        {"a link elsewhere",
         [=](const std::string& there) {
             away(there);
             fs::create_directory_symlink(elsewhere, there + "/a");
         }},
        {"a link to where it is now",
         [=](const std::string& there) {
             away(there);
             fs::create_directory_symlink("ax", there + "/a");
         }},
        {"an empty directory",
         [=](const std::string& there) {
             away(there);
             fs::create_directory(there + "/a");
         }},
        {"each file a link to its copy",
         [=](const std::string& there) {
             fs::rename(there + "/a/model.dat", there + "/copy");
             fs::create_symlink("../copy", there + "/a/model.dat");
         }},
        {"cut short", [=](const std::string& there) { fs::resize_file(there + "/a/model.dat", 5); }},
        {"the whole destination moved", [](const std::string& there) { fs::rename(there, there + "-moved"); }},
        {"the whole destination replaced",
         [](const std::string& there) {
             fs::rename(there, there + "-moved");
             fs::create_directory(there);
         }},
    };
}

// What is called here lies under its own name, reached without a link, and is what the box has.
void check_here(const support::FinishedRun& bench, const std::string& path) {
    const std::string here = bench.there() + "/" + path;
    for (fs::path at = here; at != bench.there(); at = at.parent_path())
        CHECK(!fs::is_symlink(at));
    REQUIRE(fs::is_regular_file(here));
    CHECK(support::read_file(here) == support::read_file(bench.run_dir + "/work/" + path));
}

void check_report(const support::FinishedRun& bench, const flow::PullReport& report) {
    for (const auto& pulled : report.files) {
        INFO(pulled.entry.path << " is " << flow::name_of(pulled.state) << ": " << pulled.why);
        if (pulled.certified && !pulled.entry.path.starts_with("_run/")) check_here(bench, pulled.entry.path);
        CHECK(pulled.certified == (pulled.state == FileState::pulled || pulled.state == FileState::kept));
    }
    if (!report.receipt) return;
    for (const auto& proven : report.receipt->files)
        CHECK(pulled_file(report, proven.file.path).certified);
}

}  // namespace

TEST_CASE("a directory swapped under a pull leaves nothing certified that is not under its name") {
    // A slow pull has the receipt of the first directory by then.
    const milliseconds record_every{GENERATE(0, 1'000'000)};
    CAPTURE(record_every.count());
    const support::TempDir elsewhere;
    support::write_file(elsewhere / "model.dat", support::noise(12 * k_mebibyte, 9));
    for (const Swap& swap : swaps(elsewhere.path())) {
        INFO(swap.what);
        support::FinishedRun bench;
        bench.put("a/model.dat", support::noise(12 * k_mebibyte, 1));
        bench.put("b/model.dat", support::noise(12 * k_mebibyte, 2));
        bench.claim({{"*/model.dat", RosterClass::must}});
        const auto report = support::pull_during(
            bench, MessageType::data, k_in_second_file, [&] { swap.make(bench.there()); }, record_every);
        REQUIRE(report.problem);
        CHECK(report.problem->code == Code::integrity);
        CHECK(report.problem->next == "drawhitch pull b1 r1");
        const auto& moved = pulled_file(report, "a/model.dat");
        CHECK(!moved.certified);
        CHECK(moved.state == FileState::displaced);
        CHECK(!moved.why.empty());
        check_report(bench, report);
    }
}

TEST_CASE("a directory of kept files that is swapped under a pull is certified no more") {
    const support::TempDir elsewhere;
    for (const Swap& swap : swaps(elsewhere.path())) {
        INFO(swap.what);
        support::FinishedRun bench;
        bench.put("a/model.dat", support::noise(12 * k_mebibyte, 1));
        bench.claim({{"*/model.dat", RosterClass::must}});
        REQUIRE(!bench.pull().problem);
        bench.put("b/model.dat", support::noise(12 * k_mebibyte, 2));
        const auto report = support::pull_during(bench, MessageType::data, 50, [&] { swap.make(bench.there()); });
        REQUIRE(report.problem);
        CHECK(report.problem->code == Code::integrity);
        CHECK(pulled_file(report, "a/model.dat").state == FileState::displaced);
        check_report(bench, report);
    }
}

TEST_CASE("a copy from a box tells when its destination was swapped meanwhile") {
    const support::TempDir elsewhere;
    support::write_file(elsewhere / "model.dat", support::noise(12 * k_mebibyte, 9));
    for (const Swap& swap : swaps(elsewhere.path())) {
        INFO(swap.what);
        support::FinishedRun bench;
        bench.put("a/model.dat", support::noise(12 * k_mebibyte, 1));
        bench.put("b/model.dat", support::noise(12 * k_mebibyte, 2));
        const support::TempDir here;
        support::EventfulBox box(MessageType::data, k_in_second_file, [&] { swap.make(here / "to/work"); });
        support::EventfulConnector connector(box);
        flow::Deps& deps = bench.local.deps();
        flow::Deps eventful{deps.ledger, connector,    deps.helpers, deps.prompt,
                            deps.laptop, deps.project, deps.settings};
        const auto report = flow::cp(bench.op, eventful, {"b1", bench.run_dir + "/work", here / "to/", false});
        REQUIRE(report);
        REQUIRE(box.happened());
        REQUIRE(report->problem);
        CHECK(report->problem->code == Code::integrity);
        const auto moved = std::ranges::find(report->files, "work/a/model.dat", &flow::CopiedFile::path);
        REQUIRE(moved != report->files.end());
        CHECK(moved->state == FileState::displaced);
    }
}
