#include "flow/pull.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <map>

#include "core/plan/manifest.hpp"
#include "support/finished_run.hpp"
#include "support/paths.hpp"
#include "support/temp_dir.hpp"
#include "support/test_op.hpp"

using namespace drawhitch;
using flow::FileState;
using model::RosterClass;
using support::pulled_file;

namespace {

using Bench = support::FinishedRun;

using support::checkpoint;

}  // namespace

TEST_CASE("a pull brings the roster's files and the record, proves them and writes the receipt") {
    Bench bench;
    bench.put("out/model.pt", checkpoint());
    bench.put("out/metrics.json", "{\"loss\": 1}");
    bench.put("train.py", "print()");
    bench.put("cache/x", "scratch");
    bench.claim({{"out/**", RosterClass::must}, {"cache/", RosterClass::scratch}});
    const auto report = bench.pull();
    CHECK(!report.problem);
    CHECK(report.files.size() == 4);
    CHECK(pulled_file(report, "out/model.pt").state == FileState::pulled);
    CHECK(pulled_file(report, "out/model.pt").structure == model::Structure::sound);
    CHECK(pulled_file(report, "_run/log").certified);
    CHECK(support::read_file(bench.there() + "/out/model.pt") == checkpoint());
    CHECK(support::read_file(bench.there() + "/_run/log") == "step 1\nstep 2\n");
    CHECK(::access((bench.there() + "/train.py").c_str(), F_OK) != 0);
    CHECK(::access((bench.there() + "/.drawhitch").c_str(), F_OK) != 0);
    REQUIRE(report.receipt);
    CHECK(report.receipt->files.size() == 4);
    const auto covered = bench.local.ledger().covered(bench.run.id);
    REQUIRE(covered);
    CHECK(covered->size() == 4);
    CHECK(std::system(("cd '" + bench.there() + "' && sha256sum -c --quiet --strict SHA256SUMS").c_str()) == 0);
    CHECK(plan::parse_manifest(support::read_file(bench.there() + "/MANIFEST.json")));
}

TEST_CASE("cut JSON is damage, and half a line at the end of a log of JSON lines is told and certified") {
    Bench bench;
    bench.put("trainer_state.json", R"({"best": NaN, "steps": [1, 2], "lo)");
    bench.put("config.json", R"({"best": NaN, "steps": [1, 2]})");
    bench.put("metrics.jsonl", "{\"loss\": 1}\n{\"lo");
    bench.claim({{"*.json*", RosterClass::must}});
    const auto report = bench.pull();
    REQUIRE(report.problem);
    CHECK(report.problem->code == Code::integrity);
    CHECK(pulled_file(report, "trainer_state.json").structure == model::Structure::broken);
    CHECK(!pulled_file(report, "trainer_state.json").certified);
    CHECK(pulled_file(report, "config.json").structure == model::Structure::sound);
    CHECK(pulled_file(report, "metrics.jsonl").certified);
    CHECK(pulled_file(report, "metrics.jsonl").why == "its last line, 2, is cut short");
}

TEST_CASE("sha256sum itself reads the sums of names with line ends and backslashes anywhere") {
    Bench bench;
    const std::string names[] = {"ends in cr\r", "cr\rinside", "\r", "line\nend", "back\\slash", "all\\\n\r", "\\r"};
    for (const std::string& name : names)
        bench.put("out/" + name, "content of " + name);
    bench.claim({{"out/**", RosterClass::must}});
    CHECK(!bench.pull().problem);
    const std::string sums = support::read_file(bench.there() + "/SHA256SUMS");
    CHECK(std::ranges::count(sums, '\n') == static_cast<long>(std::size(names)) + 2);
    CHECK(std::system(("cd '" + bench.there() + "' && sha256sum -c --quiet --strict SHA256SUMS").c_str()) == 0);
    for (const std::string& name : names) {
        const std::string path = bench.there() + "/out/" + name;
        support::write_file(path, "damaged");
        CHECK(std::system(("cd '" + bench.there() + "' && sha256sum -c --status SHA256SUMS").c_str()) != 0);
        support::write_file(path, "content of " + name);
    }
}

TEST_CASE("a second pull fetches nothing, and later ones only what changed") {
    Bench bench;
    bench.put("a.bin", std::string(2'000'000, 'a'));
    bench.put("b.bin", std::string(3000, 'b'));
    bench.claim({{"*.bin", RosterClass::must}});
    bench.pull();
    const auto second = bench.pull();
    CHECK(!second.problem);
    CHECK(second.tally.fetched == 0);
    CHECK(pulled_file(second, "a.bin").state == FileState::kept);
    REQUIRE(second.receipt);
    // Same size, same inode, and the time set back: the change time tells the box's digest cache.
    bench.put("b.bin", std::string(3000, 'c'));
    const auto third = bench.pull();
    CHECK(third.tally.fetched == 3000);
    CHECK(pulled_file(third, "a.bin").state == FileState::kept);
    CHECK(support::read_file(bench.there() + "/b.bin") == std::string(3000, 'c'));
    // So does any later time.
    bench.put("b.bin", std::string(3000, 'd'));
    const struct timespec times[2] = {{1'600'000'001, 0}, {1'600'000'001, 0}};
    REQUIRE(::utimensat(AT_FDCWD, (bench.run_dir + "/work/b.bin").c_str(), times, 0) == 0);
    CHECK(bench.pull().tally.fetched == 3000);
}

TEST_CASE("files that no pull of the run made are never overwritten") {
    Bench bench;
    bench.put("a.bin", "from the box");
    bench.claim({{"*.bin", RosterClass::must}});
    const std::string other = bench.local.project_directory() + "/mine";
    REQUIRE(::mkdir(other.c_str(), 0700) == 0);
    support::write_file(other + "/a.bin", "only copy");
    flow::PullOptions options{};
    options.box = "b1";
    options.run = "r1";
    options.to = other;
    const auto refused = flow::pull(bench.op, bench.local.deps(), options);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Code::exists);
    CHECK(support::read_file(other + "/a.bin") == "only copy");
    CHECK(::access((other + "/MANIFEST.json").c_str(), F_OK) != 0);
}

TEST_CASE("damage to the local copy is found and repaired by the next pull") {
    Bench bench;
    bench.put("a.bin", std::string(2'000'000, 'a'));
    bench.claim({{"*.bin", RosterClass::must}});
    bench.pull();
    const int fd = ::open((bench.there() + "/a.bin").c_str(), O_WRONLY);
    REQUIRE(::pwrite(fd, "X", 1, 1'234'567) == 1);
    ::close(fd);
    const auto report = bench.pull();
    CHECK(pulled_file(report, "a.bin").state == FileState::pulled);
    CHECK(support::read_file(bench.there() + "/a.bin") == std::string(2'000'000, 'a'));
}

TEST_CASE("a checkpoint that is damaged on the box is no receipt, however right its hash") {
    Bench bench;
    const std::string whole = checkpoint();
    bench.put("good.pt", whole);
    bench.put("cut.pt", std::string_view{whole}.substr(0, whole.size() / 2));
    bench.claim({{"*.pt", RosterClass::must}});
    const auto report = bench.pull();
    REQUIRE(report.problem);
    CHECK(report.problem->code == Code::integrity);
    CHECK(pulled_file(report, "cut.pt").state == FileState::pulled);
    CHECK(pulled_file(report, "cut.pt").structure == model::Structure::broken);
    CHECK(!pulled_file(report, "cut.pt").certified);
    CHECK(pulled_file(report, "cut.pt").why.find("on the box itself") != std::string::npos);
    CHECK(pulled_file(report, "good.pt").certified);
}

TEST_CASE("beside a damaged checkpoint the last whole one before it is named, of this pull or of an earlier one") {
    Bench bench;
    const std::string whole = checkpoint();
    bench.put("ckpt-100.pt", whole);
    bench.put("ckpt-200.pt", whole);
    bench.put("ckpt-300.pt", std::string_view{whole}.substr(0, whole.size() / 2));
    bench.put("other-250.pt", whole);
    bench.claim({{"*.pt", RosterClass::must}});
    REQUIRE(!bench.pull({.box = {}, .run = {}, .patterns = {"ckpt-100.pt", "other-250.pt"}}).problem);
    const auto alone = bench.pull({.box = {}, .run = {}, .patterns = {"ckpt-300.pt"}});
    CHECK(pulled_file(alone, "ckpt-300.pt").why.ends_with("; ckpt-100.pt, saved before it, is whole"));
    const auto all = bench.pull();
    CHECK(pulled_file(all, "ckpt-300.pt").why.ends_with("; ckpt-200.pt, saved before it, is whole"));
    REQUIRE(all.problem);
    CHECK(all.problem->why.find("; ckpt-200.pt, saved before it, is whole") != std::string::npos);
    // A copy that is here no more stands in for nothing.
    REQUIRE(::unlink((bench.there() + "/ckpt-200.pt").c_str()) == 0);
    const auto again = bench.pull({.box = {}, .run = {}, .patterns = {"ckpt-300.pt"}});
    CHECK(pulled_file(again, "ckpt-300.pt").why.ends_with("; ckpt-100.pt, saved before it, is whole"));
}

TEST_CASE("a checkpoint directory is certified as a whole or not at all") {
    Bench bench;
    const std::string whole = checkpoint();
    bench.put("checkpoint-100/model.pt", whole);
    bench.put("checkpoint-100/optimizer.pt", std::string_view{whole}.substr(0, 5000));
    bench.put("checkpoint-200/model.pt", whole);
    bench.claim({{"checkpoint-*/", RosterClass::must}});
    const auto report = bench.pull();
    CHECK(!pulled_file(report, "checkpoint-100/model.pt").certified);
    CHECK(pulled_file(report, "checkpoint-200/model.pt").certified);
    REQUIRE(report.receipt);
    for (const auto& proven : report.receipt->files) {
        const bool damaged = proven.structure == model::Structure::broken;
        CHECK(proven.file.path.starts_with("checkpoint-100/") == damaged);
    }
}

TEST_CASE("patterns, classes and --newest choose whole units") {
    Bench bench;
    for (const char* step : {"100", "200", "300"}) {
        bench.put(std::string("checkpoint-") + step + "/a.bin", step);
        bench.put(std::string("checkpoint-") + step + "/b.bin", step);
    }
    bench.put("notes.txt", "n");
    bench.claim({{"checkpoint-*/", RosterClass::must}, {"notes.txt", RosterClass::nice}});
    const auto newest = bench.pull({.box = {}, .run = "r1", .patterns = {"checkpoint-*/a.bin"}, .newest = 1});
    REQUIRE(newest.files.size() == 2);
    CHECK(newest.files[0].entry.path == "checkpoint-300/a.bin");
    CHECK(newest.files[1].entry.path == "checkpoint-300/b.bin");
    const auto nice = bench.pull({.box = {}, .run = {}, .patterns = {}, .classes = {RosterClass::nice}});
    REQUIRE(nice.files.size() == 1);
    CHECK(nice.files[0].entry.path == "notes.txt");
    // The manifest adds up over the pulls.
    const auto manifest = plan::parse_manifest(support::read_file(bench.there() + "/MANIFEST.json"));
    REQUIRE(manifest);
    CHECK(manifest->files.size() == 3);
}

TEST_CASE("the ledger's list of a narrowed pull has all that the roster matched") {
    Bench bench;
    bench.put("out/a.bin", "a");
    bench.put("out/b.bin", "b");
    bench.claim({{"out/**", RosterClass::must}});
    REQUIRE(bench.pull({.patterns = {"out/a.bin"}}).receipt);
    const auto manifest = bench.local.ledger().latest_manifest(bench.run.id);
    REQUIRE(manifest);
    REQUIRE(*manifest);
    std::map<std::string, bool> proven;
    for (const auto& entry : (*manifest)->entries)
        proven[entry.path] = !entry.root.empty();
    CHECK(proven.at("out/a.bin"));
    CHECK_FALSE(proven.at("out/b.bin"));
    CHECK_FALSE(proven.at("_run/log"));
}

TEST_CASE("a file that is open for writing comes along, and is not certified") {
    Bench bench;
    bench.put("train.jsonl", "{\"step\": 1}\n");
    bench.put("big.log", std::string(1'500'000, 'x'));
    bench.claim({{"*.jsonl", RosterClass::must}, {"*.log", RosterClass::must}});
    const int fd = ::open((bench.run_dir + "/work/train.jsonl").c_str(), O_WRONLY | O_APPEND);
    const auto report = bench.pull();
    ::close(fd);
    CHECK(pulled_file(report, "train.jsonl").state == FileState::unsettled);
    CHECK(support::read_file(bench.there() + "/train.jsonl") == "{\"step\": 1}\n");
    CHECK(pulled_file(report, "big.log").certified);
    REQUIRE(report.problem);
    CHECK(report.problem->code == Code::skipped);
    CHECK(report.problem->next == "drawhitch watch b1 r1");
    CHECK(!bench.pull().problem);
}

TEST_CASE("pipes, links and directories without permission are named and never opened") {
    Bench bench;
    bench.put("out/a", "a");
    REQUIRE(::mkfifo((bench.run_dir + "/work/out/pipe").c_str(), 0600) == 0);
    REQUIRE(::symlink("/etc/passwd", (bench.run_dir + "/work/out/link").c_str()) == 0);
    bench.claim({{"out/**", RosterClass::must}});
    const auto report = bench.pull();
    CHECK(pulled_file(report, "out/a").certified);
    CHECK(report.left_out.size() == 2);
    REQUIRE(report.problem);
    CHECK(report.problem->code == Code::skipped);
    CHECK(::access((bench.there() + "/out/link").c_str(), F_OK) != 0);
}

TEST_CASE("names are bytes, and one that the pull keeps for its record lands beside it") {
    Bench bench;
    bench.put("out/new\nline", "1");
    bench.put("out/\xff\xfe.bin", "2");
    bench.put("MANIFEST.json", "mine");
    bench.claim({{"out/**", RosterClass::must}, {"MANIFEST.json", RosterClass::must}});
    const auto report = bench.pull();
    CHECK(pulled_file(report, "out/new\nline").certified);
    CHECK(support::read_file(bench.there() + "/out/\xff\xfe.bin") == "2");
    CHECK(pulled_file(report, "MANIFEST.json.box").certified);
    CHECK(support::read_file(bench.there() + "/MANIFEST.json.box") == "mine");
    CHECK(plan::parse_manifest(support::read_file(bench.there() + "/MANIFEST.json")));
    CHECK(std::system(("cd '" + bench.there() + "' && sha256sum -c --quiet --strict SHA256SUMS").c_str()) == 0);
}

TEST_CASE("a dry run says what would come and writes nothing") {
    Bench bench;
    bench.put("a.bin", "abc");
    bench.claim({{"*.bin", RosterClass::must}});
    bench.local.deps().dry_run = true;
    const auto report = bench.pull();
    CHECK(pulled_file(report, "a.bin").planned);
    CHECK(report.planned_bytes == 3 + std::string_view{"step 1\nstep 2\n"}.size() + 2);
    CHECK(::access((bench.local.project_directory() + "/pulls").c_str(), F_OK) != 0);
}

TEST_CASE("a run without matching files is not found, with the reason") {
    Bench bench;
    bench.claim({});
    auto report = flow::pull(bench.op, bench.local.deps(), {.box = "b1", .run = "r1", .patterns = {"nothing/**"}});
    REQUIRE(!report);
    CHECK(report.error().code == Code::not_found);
    CHECK(flow::pull(bench.op, bench.local.deps(), {.box = "b1", .run = "r2"}).error().code == Code::not_found);
}
