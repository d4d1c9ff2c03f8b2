// What a proposed pattern meets, and what advice a pull gives with it.
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>

#include "core/parse/glob.hpp"
#include "core/plan/roster_proposal.hpp"
#include "core/proto/tree_hash.hpp"
#include "flow/pull.hpp"
#include "flow/release_look.hpp"
#include "support/finished_run.hpp"
#include "support/temp_dir.hpp"

using namespace drawhitch;
using plan::OutputFile;
using support::FinishedRun;
using List = std::vector<std::string>;

namespace {

// The run as one of a release of these files of its work tree.
void claim_of_release(FinishedRun& bench, const model::Roster& roster, const List& paths) {
    std::vector<proto::FileEntry> entries;
    for (const std::string& path : paths) {
        proto::FileEntry entry{};
        entry.path = path;
        entry.type = proto::FileType::file;
        entry.size = support::read_file(bench.run_dir + "/work/" + path).size();
        entry.root = proto::sha256(path);
        entries.push_back(entry);
    }
    const auto hash = proto::tree_hash(entries);
    REQUIRE(hash);
    REQUIRE(flow::remember_manifest(bench.local.ledger(), bench.lease.id, hash->hex(), entries));
    bench.claim(roster, hash->hex());
}

}  // namespace

TEST_CASE("no proposed pattern meets what came with the code") {
    const List released{"train.py", "conf/base.json", "out/README.md", "out/keep/x.bin", "model.bin"};
    const std::vector<OutputFile> outputs{{"out/a.bin", 9},           {"out/b.bin", 9},   {"out/keep/y.bin", 5},
                                          {"out/new/deep/z", 4},      {"conf/r.json", 3}, {"conf/s.json", 3},
                                          {"elsewhere/model.bin", 2}, {"x.bin", 1}};
    for (const plan::ProposedPattern& one : plan::propose_roster(outputs, released)) {
        INFO(one.pattern);
        const auto glob = parse::Glob::compile(one.pattern);
        REQUIRE(glob);
        for (const std::string& path : released)
            CHECK_FALSE(glob->covers(path));
        std::uint64_t met = 0;
        for (const OutputFile& output : outputs)
            if (glob->covers(output.path)) ++met;
        CHECK(met == one.files);
    }
}

TEST_CASE("a name with signs of patterns is taken as it is") {
    for (const char* name : {"a*b", "q?", "s[1]", "b\\s"}) {
        const auto patterns = plan::propose_roster({{std::string{name}, 1}}, {"axb", "qq", "s1", "bs"});
        INFO(name);
        REQUIRE(patterns.size() == 1);
        const auto glob = parse::Glob::compile(patterns.front().pattern);
        REQUIRE(glob);
        CHECK(glob->covers(name));
        for (const char* other : {"axb", "qq", "s1", "bs"})
            CHECK_FALSE(glob->covers(other));
    }
}

TEST_CASE("a pattern that met nothing is answered with what the run has made beside its roster") {
    FinishedRun bench;
    bench.put("ckp/a.pt", "weights");
    bench.put("ckp/b.pt", "weights");
    bench.put("plot.png", "p");
    bench.put("train.py", "code");
    bench.put("conf/base.json", "{}");
    bench.put("__pycache__/train.pyc", "c");
    bench.put("cache/x", "scratch");
    claim_of_release(bench, {{"ckpt/*.pt", model::RosterClass::must}, {"cache/", model::RosterClass::scratch}},
                     {"conf/base.json", "train.py"});

    SECTION("of the roster") {
        const auto report = bench.pull();
        REQUIRE(report.problem);
        CHECK(report.problem->code == Code::skipped);
        CHECK(report.problem->next == "drawhitch pull b1 r1 --out 'ckp/**' --out plot.png");
        CHECK(report.problem->why.find("ckp/** (2 files, 14 B), plot.png (1 file, 1 B)") != std::string::npos);
    }
    SECTION("of the user's, behind the run") {
        const auto none = flow::pull(bench.op, bench.local.deps(), {.box = "b1", .run = "r1", .patterns = {"best/**"}});
        REQUIRE(!none);
        CHECK(none.error().code == Code::not_found);
        CHECK(none.error().next == "drawhitch pull b1 r1 --out 'ckp/**' --out plot.png");
    }
    SECTION("that meets what is there, and the roster does not name") {
        const auto none =
            flow::pull(bench.op, bench.local.deps(), {.box = "b1", .run = "r1", .patterns = {"ckp/a.pt"}});
        REQUIRE(!none);
        CHECK(none.error().next == "drawhitch pull b1 r1 --out ckp/a.pt");
    }
    SECTION("of --out, with the directory that was asked for") {
        const std::string to = bench.local.project_directory() + "/to";
        const auto none =
            flow::pull(bench.op, bench.local.deps(),
                       {.box = "b1", .run = "r1", .declare = {{"bset/**", model::RosterClass::must}}, .to = to});
        REQUIRE(!none);
        CHECK(none.error().next == "drawhitch pull b1 r1 --to " + to + " --out 'ckp/**' --out plot.png");
    }
    SECTION("and the line works") {
        REQUIRE(bench.pull().problem);
        const auto report =
            bench.pull({.box = {},
                        .run = {},
                        .declare = {{"ckp/**", model::RosterClass::must}, {"plot.png", model::RosterClass::must}}});
        CHECK(report.receipt);
        CHECK(support::read_file(bench.there() + "/ckp/b.pt") == "weights");
        CHECK(::access((bench.there() + "/train.py").c_str(), F_OK) != 0);
    }
}

TEST_CASE("where the run has made nothing else, or nobody knows what came with the code, nothing is proposed") {
    FinishedRun bench;
    bench.put("train.py", "code");
    const model::Roster roster{{"ckpt/*.pt", model::RosterClass::must}};
    SECTION("nothing but the code") {
        claim_of_release(bench, roster, {"train.py"});
    }
    SECTION("a release without a list") {
        bench.put("out/a.bin", "a");
        bench.claim(roster, std::string(64, 'a'));
    }
    const auto report = bench.pull();
    REQUIRE(report.problem);
    CHECK(report.problem->next == "drawhitch pull b1 r1 --all");
}

TEST_CASE("a second copy in another directory is told before it is made") {
    FinishedRun bench;
    bench.put("out/a.bin", "four");
    bench.put("out/b.bin", "seven..");
    bench.claim({{"out/**", model::RosterClass::must}});
    const std::string other = bench.local.project_directory() + "/second";
    const auto first = bench.pull();
    CHECK(first.elsewhere.empty());
    CHECK(bench.pull().elsewhere.empty());  // nothing is fetched
    const auto warned = [&] {
        return bench.op.events().told(EventKind::warning, "lies in " + bench.there() + " already");
    };
    CHECK_FALSE(warned());

    SECTION("all of it") {
        const auto second = bench.pull({.box = {}, .run = {}, .to = other});
        REQUIRE(second.elsewhere.size() == 1);
        CHECK(second.elsewhere.front().directory == bench.there());
        CHECK(second.elsewhere.front().files == 2);  // of log and record every pull has its own
        CHECK(second.elsewhere.front().bytes == 11);
        CHECK(warned());
        CHECK(support::read_file(other + "/out/b.bin") == "seven..");
    }
    SECTION("in a dry run") {
        flow::Deps& all = bench.local.deps();
        all.dry_run = true;
        CHECK(bench.pull({.box = {}, .run = {}, .to = other}).elsewhere.size() == 1);
        CHECK(warned());
    }
    SECTION("a copy that was removed is none") {
        std::filesystem::remove_all(bench.there());
        CHECK(bench.pull({.box = {}, .run = {}, .to = other}).elsewhere.empty());
        CHECK_FALSE(warned());
    }
    SECTION("what the run wrote anew since lies nowhere else") {
        bench.put("out/a.bin", "newer");
        bench.put("out/b.bin", "newest..");
        const auto second = bench.pull({.box = {}, .run = {}, .patterns = {"out/**"}, .to = other});
        CHECK(second.elsewhere.empty());
    }
}
