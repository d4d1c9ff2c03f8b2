#include "flow/cp.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "core/exchange/copied_json.hpp"
#include "io/ledger/ledger.hpp"
#include "io/term/prompt.hpp"
#include "io/term/screen.hpp"
#include "support/local_deps.hpp"
#include "support/temp_dir.hpp"
#include "support/test_op.hpp"

using namespace drawhitch;

namespace {

struct Bench {
    support::TestOp op{};
    support::LocalDeps local{op};
    support::TempDir box{};
    support::TempDir here{};

    // Somebody who says yes to every question of that kind.
    term::EchoGuard echo{};
    term::Prompt yes{term::PromptOptions{.no_input = true, .yes = true}, echo};

    Bench() { local.adopt("b1"); }
    flow::Deps agreeing() {
        const flow::Deps& all = local.deps();
        return {all.ledger, all.connector, all.helpers, yes, all.laptop, all.project, all.settings, false};
    }
    Error refusal(const std::string& box_path, const std::string& local_path, bool to_box) {
        auto report = flow::cp(op, local.deps(), {"b1", box_path, local_path, to_box, "drawhitch cp A B"});
        if (report) FAIL("it was not refused");
        return report.error();
    }
    flow::CpReport cp(const std::string& box_path, const std::string& local_path, bool to_box) {
        flow::Deps deps = agreeing();
        auto report = flow::cp(op, deps, {"b1", box_path, local_path, to_box, "drawhitch cp A B"});
        if (!report) FAIL(report.error().message);
        return std::move(report).value();
    }
};

void plant(const std::string& root) {
    REQUIRE(::mkdir((root + "/tree").c_str(), 0755) == 0);
    REQUIRE(::mkdir((root + "/tree/empty").c_str(), 0755) == 0);
    support::write_file(root + "/tree/a.txt", "a");
    support::write_file(root + "/tree/run.sh", "#!/bin/sh\n", 0755);
    support::write_file(root + "/tree/big.bin", std::string(1'300'000, 'b'));
    REQUIRE(::symlink("a.txt", (root + "/tree/link").c_str()) == 0);
}

void check_tree(const std::string& tree) {
    CHECK(support::read_file(tree + "/a.txt") == "a");
    CHECK(support::read_file(tree + "/big.bin") == std::string(1'300'000, 'b'));
    CHECK(::access((tree + "/run.sh").c_str(), X_OK) == 0);
    CHECK(::access((tree + "/empty").c_str(), F_OK) == 0);
    char target[16] = {};
    CHECK(::readlink((tree + "/link").c_str(), target, sizeof target) == 5);
}

}  // namespace

TEST_CASE("one file comes under its own name, or under a new one") {
    Bench bench;
    support::write_file(bench.box / "f.txt", "content");
    auto report = bench.cp(bench.box / "f.txt", bench.here.path(), false);
    CHECK(!report.problem);
    CHECK(report.destination == bench.here / "f.txt");
    CHECK(support::read_file(bench.here / "f.txt") == "content");
    report = bench.cp(bench.box / "f.txt", bench.here / "new/g.txt", false);
    CHECK(support::read_file(bench.here / "new/g.txt") == "content");
    CHECK(::access((bench.here / "new/.drawhitch").c_str(), F_OK) != 0);
}

TEST_CASE("a directory comes whole, links inside it as links") {
    Bench bench;
    plant(bench.box.path());
    REQUIRE(::symlink("/etc/passwd", (bench.box / "tree/out").c_str()) == 0);
    const auto report = bench.cp(bench.box / "tree", bench.here / "copy", false);
    check_tree(bench.here / "copy");
    CHECK(::access((bench.here / "copy/out").c_str(), F_OK) != 0);
    REQUIRE(report.problem);
    CHECK(report.problem->code == Code::skipped);
}

TEST_CASE("a file and a directory go to the box") {
    Bench bench;
    plant(bench.here.path());
    auto report = bench.cp(bench.box / "new/dir/", bench.here / "tree", true);
    CHECK(!report.problem);
    CHECK(report.destination == bench.box / "new/dir/tree");
    check_tree(bench.box / "new/dir/tree");
    report = bench.cp(bench.box / "name.txt", bench.here / "tree/a.txt", true);
    CHECK(support::read_file(bench.box / "name.txt") == "a");
    support::write_file(bench.here / "tree/a.txt", "newer");
    report = bench.cp(bench.box.path(), bench.here / "tree/a.txt", true);
    CHECK(support::read_file(bench.box / "a.txt") == "newer");
}

TEST_CASE("what is not there, and paths that climb, are refused") {
    Bench bench;
    CHECK(flow::cp(bench.op, bench.local.deps(), {"b1", bench.box / "no", bench.here.path(), false}).error().code ==
          Code::not_found);
    CHECK(flow::cp(bench.op, bench.local.deps(), {"b1", bench.box / "a/../../x", bench.here.path(), false})
              .error()
              .code == Code::unsafe_path);
    CHECK(flow::cp(bench.op, bench.local.deps(), {"b1", bench.box / "x", bench.here / "no", true}).error().code ==
          Code::not_found);
}

TEST_CASE("a file that holds more than its size says is refused by name, in both directions") {
    Bench bench;
    const auto report = bench.cp("/proc/" + std::to_string(::getpid()) + "/status", bench.here / "status", false);
    REQUIRE(report.problem);
    CHECK(report.problem->code == Code::skipped);
    REQUIRE(report.files.size() == 1);
    CHECK(report.files.front().state == flow::FileState::failed);
    CHECK(report.files.front().why.find("size") != std::string::npos);
    CHECK(::access((bench.here / "status").c_str(), F_OK) != 0);

    const auto sent = bench.cp(bench.box / "status", "/proc/" + std::to_string(::getpid()) + "/status", true);
    REQUIRE(sent.problem);
    CHECK(sent.problem->code == Code::skipped);
    REQUIRE(sent.files.size() == 1);
    CHECK(sent.files.front().why.find("size") != std::string::npos);
    CHECK(::access((bench.box / "status").c_str(), F_OK) != 0);
}

TEST_CASE("what would be replaced is shown, and stays unless that is agreed") {
    Bench bench;
    const bool to_box = GENERATE(false, true);
    const std::string from = to_box ? bench.here.path() : bench.box.path();
    const std::string to = to_box ? bench.box.path() : bench.here.path();
    plant(from);
    plant(to);
    support::write_file(to + "/tree/a.txt", "A");
    support::write_file(from + "/tree/new.txt", "new");
    const Error refused = bench.refusal(to_box ? to : from + "/tree", to_box ? from + "/tree" : to, to_box);
    CHECK(refused.code == Code::exists);
    CHECK(refused.why.find("tree/a.txt") != std::string::npos);
    CHECK(refused.why.find("big.bin") == std::string::npos);
    CHECK(refused.next == "drawhitch cp A B --yes");
    CHECK(support::read_file(to + "/tree/a.txt") == "A");
    CHECK(::access((to + "/tree/new.txt").c_str(), F_OK) != 0);
    CHECK(::access((to + "/.drawhitch").c_str(), F_OK) != 0);

    const auto report = bench.cp(to_box ? to : from + "/tree", to_box ? from + "/tree" : to, to_box);
    CHECK(!report.problem);
    check_tree(to + "/tree");
    for (const auto& file : report.files) {
        CAPTURE(file.path);
        const bool moved = file.path == "tree/a.txt" || file.path == "tree/new.txt";
        CHECK(file.state == (moved ? flow::FileState::pulled : flow::FileState::kept));
        CHECK_FALSE(file.root.empty());
    }
    // Nothing is left to ask about.
    auto again = flow::cp(bench.op, bench.local.deps(),
                          {"b1", to_box ? to : from + "/tree", to_box ? from + "/tree" : to, to_box, ""});
    REQUIRE(again);
    CHECK(!again->problem);
}

TEST_CASE("a link that leads elsewhere is something to replace, too") {
    Bench bench;
    plant(bench.box.path());
    plant(bench.here.path());
    REQUIRE(::unlink((bench.here / "tree/link").c_str()) == 0);
    support::write_file(bench.here / "tree/link", "precious");
    CHECK(bench.refusal(bench.box / "tree", bench.here.path(), false).code == Code::exists);
    CHECK(support::read_file(bench.here / "tree/link") == "precious");
    CHECK(bench.refusal(bench.box.path(), bench.here / "tree", true).code == Code::exists);
}

TEST_CASE("releases and the records of runs take no copies, whatever is agreed") {
    Bench bench;
    support::write_file(bench.here / "f", "x");
    REQUIRE(::mkdir((bench.here / "releases").c_str(), 0755) == 0);
    support::write_file(bench.here / "releases/f", "x");
    const std::string root = bench.local.root();
    for (const std::string& target : {root + "/releases/", root + "/releases/r1/f", root + "/runs/",
                                      root + "/runs/a/log", root + "/runs/a/", root + "/runs/a/work"}) {
        CAPTURE(target);
        flow::Deps deps = bench.agreeing();
        const auto report = flow::cp(bench.op, deps, {"b1", target, bench.here / "f", true, ""});
        REQUIRE_FALSE(report);
        CHECK(report.error().code == Code::exists);
    }
    flow::Deps deps = bench.agreeing();
    CHECK_FALSE(flow::cp(bench.op, deps, {"b1", root + "/", bench.here / "releases", true, ""}));
    bench.cp(root + "/runs/a/work/", bench.here / "f", true);
    CHECK(support::read_file(root + "/runs/a/work/f") == "x");
    bench.cp(root + "/data/releases/", bench.here / "f", true);
}

TEST_CASE("cp to a box leaves no directory of its own there, unless something else lives in it") {
    Bench bench;
    const auto exists = [](const std::string& path) { return ::access(path.c_str(), F_OK) == 0; };
    plant(bench.here.path());
    const std::string there = bench.box / "data";
    REQUIRE(::mkdir(there.c_str(), 0755) == 0);

    SECTION("a fresh place, and the same again") {
        REQUIRE(!bench.cp(there + "/", bench.here / "tree", true).problem);
        CHECK_FALSE(exists(there + "/.drawhitch"));
        REQUIRE(!bench.cp(there + "/", bench.here / "tree", true).problem);
        CHECK_FALSE(exists(there + "/.drawhitch"));
        check_tree(there + "/tree");
    }
    SECTION("one that somebody else made stays") {
        REQUIRE(::mkdir((there + "/.drawhitch").c_str(), 0700) == 0);
        REQUIRE(!bench.cp(there + "/", bench.here / "tree", true).problem);
        CHECK(exists(there + "/.drawhitch/epoch"));
    }
    SECTION("one that an interrupted cp of ours made goes") {
        REQUIRE(bench.local.ledger().append_event(1, std::nullopt, "cp.writing", exchange::writing_json(there, true)));
        REQUIRE(::mkdir((there + "/.drawhitch").c_str(), 0700) == 0);
        REQUIRE(!bench.cp(there + "/", bench.here / "tree", true).problem);
        CHECK_FALSE(exists(there + "/.drawhitch"));
    }
    SECTION("another's parts stay, and with them all") {
        REQUIRE(bench.local.ledger().append_event(1, std::nullopt, "cp.writing", exchange::writing_json(there, true)));
        REQUIRE(::mkdir((there + "/.drawhitch").c_str(), 0700) == 0);
        REQUIRE(::mkdir((there + "/.drawhitch/parts").c_str(), 0700) == 0);
        support::write_file(there + "/.drawhitch/parts/cp-1", "half");
        REQUIRE(!bench.cp(there + "/", bench.here / "tree", true).problem);
        CHECK(support::read_file(there + "/.drawhitch/parts/cp-1") == "half");
        CHECK(exists(there + "/.drawhitch/epoch"));
    }
    SECTION("a root that carries a mark keeps it") {
        REQUIRE(bench.local.ledger().append_event(1, std::nullopt, "cp.writing", exchange::writing_json(there, true)));
        support::write_file(there + "/lease-nonce", "0123456789abcdef");
        REQUIRE(!bench.cp(there + "/", bench.here / "tree", true).problem);
        CHECK(exists(there + "/.drawhitch/epoch"));
    }
    SECTION("the root of a project keeps it") {
        const std::string root = bench.local.root();
        REQUIRE(!bench.cp(root + "/", bench.here / "tree/a.txt", true).problem);
        CHECK(exists(root + "/.drawhitch/epoch"));
    }
}
