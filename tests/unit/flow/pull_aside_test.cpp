// A pull into a directory that it filled before meets files that are the user's own.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

#include "core/plan/manifest.hpp"
#include "flow/verify.hpp"
#include "io/disk/landing.hpp"
#include "support/finished_run.hpp"
#include "support/paths.hpp"
#include "support/private_sshd.hpp"
#include "support/temp_dir.hpp"

using namespace drawhitch;
using flow::FileState;
using model::RosterClass;
using support::pulled_file;

namespace {

using Bench = support::FinishedRun;

bool exists(const std::string& path) {
    struct stat found {};
    return ::lstat(path.c_str(), &found) == 0;
}

flow::PullReport pull_to(Bench& bench, const std::string& to) {
    flow::PullOptions options{};
    options.to = to;
    return bench.pull(options);
}

plan::ManifestText manifest_in(const std::string& directory) {
    const auto manifest = plan::parse_manifest(support::read_file(directory + "/MANIFEST.json"));
    REQUIRE(manifest);
    return *manifest;
}

}  // namespace

TEST_CASE("a result that the user edited is moved aside before the box's new one lands") {
    Bench bench;
    bench.put("m.json", R"({"a": 1})");
    bench.claim({{"*.json", RosterClass::must}});
    bench.pull();
    const std::string here = bench.there() + "/m.json";
    support::write_file(here, R"({"a": 1, "note": "hours"})");
    const auto report = bench.pull();
    CHECK(!report.problem);
    CHECK(support::read_file(here) == R"({"a": 1})");
    CHECK(support::read_file(here + ".kept-1") == R"({"a": 1, "note": "hours"})");
    REQUIRE(report.moved_aside.size() == 1);
    CHECK(report.moved_aside.front().path == "m.json");
    CHECK(report.moved_aside.front().to == "m.json.kept-1");
    // Never over an earlier one.
    support::write_file(here, "second edit");
    CHECK(bench.pull().moved_aside.front().to == "m.json.kept-2");
    CHECK(support::read_file(here + ".kept-1") == R"({"a": 1, "note": "hours"})");
    CHECK(support::read_file(here + ".kept-2") == "second edit");
    // Both are told beside the files, and neither is taken for one of the box's.
    const auto manifest = manifest_in(bench.there());
    CHECK(manifest.moved_aside.size() == 2);
    for (const plan::ManifestFile& file : manifest.files)
        CHECK(file.entry.path.find(".kept-") == std::string::npos);
    const auto verified = flow::verify(bench.op, bench.local.deps(), {.directory = bench.there()});
    REQUIRE(verified);
    CHECK(!verified->problem);
    CHECK(bench.pull().moved_aside.empty());
}

TEST_CASE("a file of the user's that the box took the name of later is moved aside") {
    Bench bench;
    bench.put("out/a", "first");
    bench.claim({{"out/**", RosterClass::must}});
    bench.pull();
    support::write_file(bench.there() + "/out/eval.txt", "my notes");
    REQUIRE(::symlink("elsewhere", (bench.there() + "/out/link").c_str()) == 0);
    bench.put("out/eval.txt", "of the box");
    bench.put("out/link", "of the box too");
    const auto report = bench.pull();
    CHECK(!report.problem);
    CHECK(report.moved_aside.size() == 2);
    CHECK(support::read_file(bench.there() + "/out/eval.txt") == "of the box");
    CHECK(support::read_file(bench.there() + "/out/eval.txt.kept-1") == "my notes");
    CHECK(support::read_file(bench.there() + "/out/link") == "of the box too");
    struct stat found {};
    REQUIRE(::lstat((bench.there() + "/out/link.kept-1").c_str(), &found) == 0);
    CHECK(S_ISLNK(found.st_mode));
}

TEST_CASE("a file that a pull only found equal stays the user's") {
    Bench bench;
    bench.put("train.py", "print()");
    bench.put("model.bin", "1");
    bench.claim({{"**", RosterClass::must}});
    const std::string to = bench.local.project_directory() + "/mine";
    REQUIRE(::mkdir(to.c_str(), 0700) == 0);
    support::write_file(to + "/train.py", "print()");
    CHECK(pulled_file(pull_to(bench, to), "train.py").state == FileState::kept);
    SECTION("edited here") {
        support::write_file(to + "/train.py", "print()  # mine");
        CHECK(pull_to(bench, to).moved_aside.size() == 1);
        CHECK(support::read_file(to + "/train.py.kept-1") == "print()  # mine");
        CHECK(support::read_file(to + "/train.py") == "print()");
    }
    SECTION("changed on the box") {
        bench.put("train.py", "generated");
        CHECK(pull_to(bench, to).moved_aside.size() == 1);
        CHECK(support::read_file(to + "/train.py.kept-1") == "print()");
        // What lies there now came by a pull.
        bench.put("train.py", "generated again");
        CHECK(pull_to(bench, to).moved_aside.empty());
        CHECK(support::read_file(to + "/train.py") == "generated again");
    }
}

TEST_CASE("what a pull put here and nobody touched is replaced, proven or not") {
    Bench bench;
    bench.put("out/a", "first");
    bench.put("out/b.json", "{\"cut\": ");
    bench.put("ck/config.json", "{}");
    bench.claim({{"out/**", RosterClass::must}, {"ck/**", RosterClass::must}});
    bench.pull();
    // Other marks on the same bytes are no other content.
    REQUIRE(::chmod((bench.there() + "/out/a").c_str(), 0600) == 0);
    bench.put("out/a", "second and longer");
    bench.put("out/b.json", "{\"cut\": 1}");
    bench.put("ck/config.json", "{\"a\": 1}");
    const auto report = bench.pull();
    CHECK(report.moved_aside.empty());
    CHECK(support::read_file(bench.there() + "/out/a") == "second and longer");
    CHECK(support::read_file(bench.there() + "/out/b.json") == "{\"cut\": 1}");
    CHECK_FALSE(exists(bench.there() + "/out/a.kept-1"));
}

TEST_CASE("an edit of one byte with the time set back is an edit") {
    Bench bench;
    bench.put("a.bin", std::string(3000, 'a'));
    bench.claim({{"*.bin", RosterClass::must}});
    bench.pull();
    const std::string here = bench.there() + "/a.bin";
    struct stat before {};
    REQUIRE(::stat(here.c_str(), &before) == 0);
    const int fd = ::open(here.c_str(), O_WRONLY);
    REQUIRE(::pwrite(fd, "X", 1, 99) == 1);
    const struct timespec times[2] = {before.st_atim, before.st_mtim};
    REQUIRE(::futimens(fd, times) == 0);
    ::close(fd);
    CHECK(bench.pull().moved_aside.size() == 1);
    CHECK(support::read_file(here + ".kept-1").at(99) == 'X');
}

TEST_CASE("another run's proven file is not moved aside: the pull is refused") {
    Bench bench;
    bench.put("a.bin", "of r1");
    bench.claim({{"*.bin", RosterClass::must}});
    const std::string to = bench.local.project_directory() + "/both";
    pull_to(bench, to);
    model::RunSpec spec = bench.run.spec;
    spec.name = "r2";
    spec.run_dir = bench.local.root() + "/runs/r2";
    spec.work_dir = spec.run_dir + "/work";
    support::run_tool({"cp", "-a", bench.run_dir, spec.run_dir});
    support::write_file(spec.work_dir + "/a.bin", "of r2");
    support::write_file(spec.work_dir + "/b.bin", "of r2");
    REQUIRE(bench.local.ledger().claim_run(bench.lease.id, spec));
    const auto refused = flow::pull(bench.op, bench.local.deps(), {.box = "b1", .run = "r2", .to = to});
    REQUIRE(!refused);
    CHECK(refused.error().code == Code::exists);
    // Also where r2 has a receipt there.
    support::run_tool({"rm", spec.work_dir + "/a.bin"});
    REQUIRE(flow::pull(bench.op, bench.local.deps(), {.box = "b1", .run = "r2", .patterns = {"b.bin"}, .to = to}));
    support::write_file(spec.work_dir + "/a.bin", "of r2");
    const auto again =
        flow::pull(bench.op, bench.local.deps(), {.box = "b1", .run = "r2", .patterns = {"a.bin"}, .to = to});
    REQUIRE(!again);
    CHECK(again.error().code == Code::exists);
    CHECK(support::read_file(to + "/a.bin") == "of r1");
}

TEST_CASE("a dry run tells what would be moved aside, and moves nothing") {
    Bench bench;
    bench.put("a.bin", "from the box");
    bench.claim({{"*.bin", RosterClass::must}});
    bench.pull();
    support::write_file(bench.there() + "/a.bin", "mine");
    bench.local.deps().dry_run = true;
    const auto report = bench.pull();
    REQUIRE(report.moved_aside.size() == 1);
    CHECK(report.moved_aside.front().to == "a.bin.kept-1");
    CHECK(support::read_file(bench.there() + "/a.bin") == "mine");
    CHECK_FALSE(exists(bench.there() + "/a.bin.kept-1"));
}

TEST_CASE("what a killed pull landed is its own, and what it moved aside is told by the next") {
    Bench bench;
    bench.put("a.bin", "newer on the box");
    bench.put("b.bin", "b");
    bench.put("c.bin", "c");
    bench.claim({{"*.bin", RosterClass::must}});
    const std::string id =
        "pull-" + proto::sha256(bench.lease.name + '\0' + bench.run.spec.run_dir).hex().substr(0, 16);
    {
        // As far as a pull comes that dies before its receipt.
        auto root = disk::Root::create(bench.there());
        REQUIRE(root);
        const auto landing = disk::Landing::open(std::move(*root), id);
        REQUIRE(landing);
        support::write_file(bench.there() + "/b.bin", "mine");
        REQUIRE((*landing)->keep_others({}));
        REQUIRE((*landing)->add_small("a.bin", "older on the box", {}));
        REQUIRE((*landing)->add_small("b.bin", "b", {}));
        REQUIRE((*landing)->settle());
    }
    support::write_file(bench.there() + "/c.bin", "also mine");
    const auto report = bench.pull();
    CHECK(!report.problem);
    CHECK(support::read_file(bench.there() + "/a.bin") == "newer on the box");
    CHECK_FALSE(exists(bench.there() + "/a.bin.kept-1"));
    CHECK(support::read_file(bench.there() + "/b.bin.kept-1") == "mine");
    CHECK(support::read_file(bench.there() + "/c.bin.kept-1") == "also mine");
    CHECK(report.moved_aside.size() == 2);
    CHECK(manifest_in(bench.there()).moved_aside.size() == 2);
    CHECK_FALSE(exists(bench.there() + "/.drawhitch"));
}
