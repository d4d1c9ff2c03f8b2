#include "flow/run/logs.hpp"

#include <catch2/catch_test_macros.hpp>
#include <filesystem>

#include "run_stage.hpp"

using namespace drawhitch;
using model::VerdictKind;
using support::RunStage;

namespace {

std::vector<std::string> read(RunStage& stage, const flow::LogOptions& options, flow::LogReport* report = nullptr) {
    std::vector<std::string> lines;
    auto result = flow::read_log(stage.op, stage.deps(), stage.lease(), options, [&](std::string_view line) {
        lines.emplace_back(line);
        return ok();
    });
    REQUIRE(result);
    if (report != nullptr) *report = *result;
    return lines;
}

}  // namespace

TEST_CASE("logs shows the last lines, bars in their last state, and nothing that moves the cursor") {
    RunStage stage;
    stage.launch(RunStage::job("printf 'one\\ntwo\\n\\033[2J\\033[31mred\\033[0m\\n 1%%\\r 50%%\\r100%%\\n\\377end'"));
    stage.await("r1", {VerdictKind::done});
    CHECK(read(stage, {}) == std::vector<std::string>{"one", "two", "red", "100%", "\\xffend"});
    CHECK(read(stage, {.run = "r1", .lines = 2}) == std::vector<std::string>{"red", "100%", "\\xffend"});
}

TEST_CASE("following a log ends with the run and misses nothing") {
    RunStage stage;
    stage.launch(RunStage::job("i=0; while [ $i -lt 300 ]; do echo line $i; i=$((i+1)); done; sleep 0.3; echo last"));
    flow::LogReport report;
    const auto lines = read(stage, {.lines = 100000, .follow = true, .every = milliseconds{20}}, &report);
    REQUIRE(lines.size() == 301);
    CHECK(lines.front() == "line 0");
    CHECK(lines[299] == "line 299");
    CHECK(lines.back() == "last");
    CHECK(report.ended);
}

TEST_CASE("200 MB of carriage returns are read in bounded time and memory") {
    RunStage stage;
    stage.launch(RunStage::job("true"));
    stage.await("r1", {VerdictKind::done});
    // A sparse file with a bar at its end stands for the flood: what is read is decided by its size alone.
    const std::string log = stage.run_file("r1", "log");
    std::string bars;
    for (int i = 0; i <= 100000; ++i)
        bars += "\r step " + std::to_string(i) + "/100000";
    support::write_file(log, std::string(200'000'000 - bars.size(), '\r') + bars);
    flow::LogReport report;
    const auto lines = read(stage, {}, &report);
    REQUIRE(lines.size() == 1);
    CHECK(lines.front() == " step 100000/100000");
    CHECK(report.size == 200'000'000);
    CHECK(report.began_inside);
    CHECK(stage.verdict("r1").kind == VerdictKind::done);
}

TEST_CASE("a run without a log, and a run that does not exist, are told apart") {
    RunStage stage;
    const auto missing =
        flow::read_log(stage.op, stage.deps(), stage.lease(), {.run = "r9"}, [](auto) { return ok(); });
    REQUIRE_FALSE(missing);
    CHECK(missing.error().code == Code::not_found);
    stage.launch(RunStage::job("true"));
    stage.await("r1", {VerdictKind::done});
    std::filesystem::remove(stage.run_file("r1", "log"));
    CHECK(read(stage, {}).empty());
}
