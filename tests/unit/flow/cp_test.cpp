#include "flow/cp.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

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

    Bench() { local.adopt("b1"); }
    flow::CpReport cp(const std::string& box_path, const std::string& local_path, bool to_box) {
        auto report = flow::cp(op, local.deps(), {"b1", box_path, local_path, to_box});
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
