// What is told of a pull that was interrupted.
#include "flow/pull_unfinished.hpp"

#include <catch2/catch_test_macros.hpp>

#include "flow/pull.hpp"
#include "flow/verify.hpp"
#include "support/cancel_at.hpp"
#include "support/finished_run.hpp"
#include "support/temp_dir.hpp"

using namespace drawhitch;
using Bench = support::FinishedRun;

namespace {

constexpr std::size_t k_size = 64U << 20U;

std::string noise() {
    std::string text(k_size, 'b');
    std::uint32_t state = 7;
    for (char& one : text) {
        state = state * 1664525U + 1013904223U;
        one = static_cast<char>(state >> 24U);
    }
    return text;
}

flow::PullReport planned(Bench& bench, const flow::PullOptions& options) {
    const flow::Deps& all = bench.local.deps();
    flow::Deps dry{all.ledger, all.connector, all.helpers, all.prompt, all.laptop, all.project, all.settings, true};
    auto report = flow::pull(bench.op, dry, options);
    if (!report) FAIL(report.error().message);
    return std::move(report).value();
}

// As a kill leaves it: bytes in the private directory, and no manifest.
void interrupt(Bench& bench, const flow::PullOptions& options) {
    Cancel cancel;
    support::CancelAt sink{cancel, k_size / 4};
    const auto report = flow::pull(Op{cancel, system_clock(), sink}, bench.local.deps(), options);
    const bool stopped = report ? report->problem.has_value() : report.error().code == Code::cancelled;
    REQUIRE(stopped);
}

}  // namespace

TEST_CASE("a dry run after an interrupted pull counts what lies here already") {
    Bench bench;
    bench.put("big.bin", noise());
    bench.claim({{"*.bin", model::RosterClass::must}});
    flow::PullOptions options{};
    options.box = "b1";
    const auto fresh = planned(bench, options);
    CHECK(fresh.held_bytes == 0);
    interrupt(bench, options);
    const auto again = planned(bench, options);
    CHECK(again.held_bytes >= k_size / 4);
    // The log and the record are small, and may have come whole.
    CHECK(again.held_bytes + again.planned_bytes >= k_size);
    CHECK(again.held_bytes + again.planned_bytes <= fresh.planned_bytes);
    // And the pull keeps what was promised.
    const auto rest = bench.pull();
    CHECK_FALSE(rest.problem);
    CHECK(rest.tally.resumed == again.held_bytes);
    CHECK(rest.tally.fetched == again.planned_bytes);
    CHECK(planned(bench, options).held_bytes == 0);
}

TEST_CASE("what waits of a file that has changed on the box since is not counted") {
    Bench bench;
    bench.put("big.bin", noise());
    bench.claim({{"*.bin", model::RosterClass::must}});
    flow::PullOptions options{};
    options.box = "b1";
    interrupt(bench, options);
    bench.put("big.bin", noise() + "more");
    CHECK(planned(bench, options).held_bytes == 0);
}

TEST_CASE("verify of an interrupted pull says so, and names the pull") {
    Bench bench;
    bench.put("big.bin", noise());
    bench.claim({{"*.bin", model::RosterClass::must}});
    flow::PullOptions options{};
    options.box = "b1";
    interrupt(bench, options);
    const auto report = flow::verify(bench.op, bench.local.deps(), {bench.there(), std::nullopt, false});
    const Error problem = report ? report->problem.value_or(Error{}) : report.error();
    CHECK(problem.message.find("unfinished") != std::string::npos);
    CHECK(problem.next == "drawhitch pull b1 r1");

    const support::TempDir other;
    options.to = other / "there";
    interrupt(bench, options);
    const auto unfinished = flow::unfinished_pull(bench.local.deps(), options.to);
    REQUIRE(unfinished);
    REQUIRE(unfinished->has_value());
    CHECK((*unfinished)->next == "drawhitch pull b1 r1 --to " + options.to);

    REQUIRE_FALSE(bench.pull().problem);
    const auto whole = flow::verify(bench.op, bench.local.deps(), {bench.there(), std::nullopt, false});
    REQUIRE(whole);
    CHECK_FALSE(whole->problem);
}
