#include "flow/verify.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "support/finished_run.hpp"
#include "support/temp_dir.hpp"

using namespace drawhitch;
using flow::VerifyState;
using Bench = support::FinishedRun;

namespace {

flow::VerifyReport verify(Bench& bench, const std::optional<std::string>& box = std::nullopt) {
    auto report = flow::verify(bench.op, bench.local.deps(), {bench.there(), box, false});
    REQUIRE(report);
    return std::move(report).value();
}

VerifyState state(const flow::VerifyReport& report, const std::string& path) {
    for (const auto& file : report.files)
        if (file.file.entry.path == path) return file.state;
    FAIL("no file " << path);
    return VerifyState::missing;
}

}  // namespace

TEST_CASE("a pull that nobody touched is good, offline and against the box") {
    Bench bench;
    bench.put("m.pt", support::checkpoint());
    bench.put("big.bin", std::string(3'000'000, 'b'));
    bench.claim({{"*.pt", model::RosterClass::must}, {"*.bin", model::RosterClass::must}});
    bench.pull();
    const auto offline = verify(bench);
    CHECK(!offline.problem);
    CHECK(offline.files.size() == 4);
    CHECK(offline.head.box == "b1");
    CHECK(!verify(bench, "b1").problem);
}

TEST_CASE("a file that was damaged on the box before it was pulled counts as bad in every later look") {
    Bench bench;
    bench.put("whole.pt", support::checkpoint());
    bench.put("cut.pt", support::checkpoint().substr(0, 1'000'000));
    bench.claim({{"*.pt", model::RosterClass::must}});
    REQUIRE(bench.pull().problem);
    for (int look = 0; look < 2; ++look) {
        const auto report = verify(bench);
        REQUIRE(report.problem);
        CHECK(report.problem->code == Code::integrity);
        CHECK(report.problem->message.starts_with("1 of 4 files"));
        CHECK(state(report, "cut.pt") == VerifyState::broken);
        CHECK(state(report, "whole.pt") == VerifyState::good);
        CHECK(support::read_file(bench.there() + "/SHA256SUMS").find("cut.pt") == std::string::npos);
        // Also where a later pull was about another file.
        bench.pull({.box = {}, .run = {}, .patterns = {"whole.pt"}});
    }
    bench.put("cut.pt", support::checkpoint());
    CHECK(!bench.pull().problem);
    CHECK(!verify(bench).problem);
    CHECK(support::read_file(bench.there() + "/SHA256SUMS").find("cut.pt") != std::string::npos);
}

TEST_CASE("verify names the whole checkpoint beside a damaged one, as far as it is whole here") {
    Bench bench;
    bench.put("ckpt-1.pt", support::checkpoint());
    bench.put("ckpt-2.pt", support::checkpoint());
    bench.put("ckpt-3.pt", support::checkpoint().substr(0, 1'000'000));
    bench.claim({{"*.pt", model::RosterClass::must}});
    REQUIRE(bench.pull().problem);
    const auto why = [](const flow::VerifyReport& report) {
        return std::ranges::find(report.files, VerifyState::broken, &flow::VerifiedFile::state)->why;
    };
    const std::string first = why(verify(bench));
    CHECK(first.starts_with("damaged on the box, before it was pulled: "));
    CHECK(first.ends_with("; ckpt-2.pt, saved before it, is whole"));
    REQUIRE(::truncate((bench.there() + "/ckpt-2.pt").c_str(), 10) == 0);
    CHECK(why(verify(bench)).ends_with("; ckpt-1.pt, saved before it, is whole"));
}

TEST_CASE("a damaged file that came alone is told by verify, too") {
    Bench bench;
    bench.put("cut.pt", support::checkpoint().substr(0, 1'000'000));
    bench.claim({{"*.pt", model::RosterClass::must}});
    REQUIRE(bench.pull({.box = {}, .run = {}, .patterns = {"cut.pt"}}).problem);
    const auto report = verify(bench);
    REQUIRE(report.problem);
    CHECK(state(report, "cut.pt") == VerifyState::broken);
}

TEST_CASE("one changed byte, one missing file and one shorter file are each found and named") {
    Bench bench;
    for (const char* name : {"a.bin", "b.bin", "c.bin", "d.bin"})
        bench.put(name, std::string(1'200'000, name[0]));
    bench.claim({{"*.bin", model::RosterClass::must}});
    bench.pull();
    const int fd = ::open((bench.there() + "/a.bin").c_str(), O_WRONLY);
    REQUIRE(::pwrite(fd, "X", 1, 1'100'000) == 1);
    ::close(fd);
    ::unlink((bench.there() + "/b.bin").c_str());
    REQUIRE(::truncate((bench.there() + "/c.bin").c_str(), 5) == 0);
    const auto report = verify(bench);
    REQUIRE(report.problem);
    CHECK(report.problem->code == Code::integrity);
    CHECK(state(report, "a.bin") == VerifyState::damaged);
    CHECK(state(report, "b.bin") == VerifyState::missing);
    CHECK(state(report, "c.bin") == VerifyState::damaged);
    CHECK(state(report, "d.bin") == VerifyState::good);
}

TEST_CASE("what has changed or gone on the box since is told apart from damage here") {
    Bench bench;
    bench.put("a.bin", "aaaa");
    bench.put("b.bin", "bbbb");
    bench.claim({{"*.bin", model::RosterClass::must}});
    bench.pull();
    bench.put("a.bin", "another length");
    ::unlink((bench.run_dir + "/work/b.bin").c_str());
    CHECK(!verify(bench).problem);
    const auto report = verify(bench, "b1");
    CHECK(state(report, "a.bin") == VerifyState::differs);
    CHECK(state(report, "b.bin") == VerifyState::gone);
    REQUIRE(report.problem);
    CHECK(report.problem->code == Code::skipped);
}

TEST_CASE("a directory without a manifest, or with a damaged one, cannot be verified") {
    Bench bench;
    support::TempDir dir;
    auto report = flow::verify(bench.op, bench.local.deps(), {dir.path(), {}, false});
    REQUIRE(!report);
    CHECK(report.error().code == Code::not_found);
    support::write_file(dir / "MANIFEST.json", "{");
    report = flow::verify(bench.op, bench.local.deps(), {dir.path(), {}, false});
    REQUIRE(!report);
    CHECK(report.error().code == Code::config);
}
