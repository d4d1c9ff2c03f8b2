#include "flow/overview.hpp"

#include <catch2/catch_test_macros.hpp>

#include "support/temp_dir.hpp"
#include "support/test_op.hpp"

using namespace drawhitch;
using namespace drawhitch::flow;

namespace {

constexpr std::int64_t k_hour = 3600;

model::Lease rented(model::LeaseState state) {
    model::Lease lease;
    lease.name = "b1";
    lease.state = state;
    lease.began = {1000, 0};
    lease.state_since = {1000 + 2 * k_hour, 0};
    lease.price_hour = 1.5;
    return lease;
}

model::Run ended(model::VerdictKind verdict) {
    model::Run run;
    run.spec.name = "r1";
    run.spec.roster = {{"*", model::RosterClass::must}};
    run.verdict.kind = verdict;
    return run;
}

model::ManifestEntry file(std::string path, std::string root, model::RosterClass wanted = model::RosterClass::must) {
    model::ManifestEntry entry;
    entry.path = std::move(path);
    entry.root = std::move(root);
    entry.wanted = wanted;
    return entry;
}

ledger::ProvenFile proven(std::string path, std::string root) {
    ledger::ProvenFile known;
    known.entry.file = file(std::move(path), std::move(root));
    return known;
}

}  // namespace

TEST_CASE("the cost counts on until the end is confirmed") {
    const WallTime now{1000 + 10 * k_hour, 0};
    CHECK(spent_on(rented(model::LeaseState::active), now) == 15.0);
    CHECK(spent_on(rented(model::LeaseState::unconfirmed), now) == 15.0);
    CHECK(spent_on(rented(model::LeaseState::closed), now) == 3.0);
    CHECK(spent_on(rented(model::LeaseState::stopped), now) == 3.0);
    CHECK(spent_on(rented(model::LeaseState::active), {0, 0}) == 0.0);
    model::Lease free = rented(model::LeaseState::active);
    free.price_hour.reset();
    CHECK_FALSE(spent_on(free, now));
}

TEST_CASE("clocks run from their own beginning and only while they can") {
    model::Profile profile;
    profile.clocks = {{.name = "max-life", .starts_on = model::ClockStart::created, .after_h = 24, .warn_before_h = 20},
                      {.name = "stopped-release", .starts_on = model::ClockStart::stopped, .after_h = 100},
                      {.name = "unknown", .starts_on = model::ClockStart::created, .after_h = -1},
                      {.name = "balance", .starts_on = model::ClockStart::balance_zero, .after_h = 1}};
    const WallTime now{1000 + 3 * k_hour, 0};
    const auto active = running_clocks(profile, rented(model::LeaseState::active), now);
    REQUIRE(active.size() == 2);
    CHECK(active[0].name == "max-life");
    CHECK(active[0].at == WallTime{1000 + 24 * k_hour, 0});
    CHECK_FALSE(active[0].close);
    CHECK_FALSE(active[1].at);
    CHECK(running_clocks(profile, rented(model::LeaseState::active), {1000 + 5 * k_hour, 0})[0].close);
    const auto stopped = running_clocks(profile, rented(model::LeaseState::stopped), now);
    REQUIRE(stopped.size() == 3);
    CHECK(stopped[1].at == WallTime{1000 + 102 * k_hour, 0});
    CHECK(running_clocks(profile, rented(model::LeaseState::closed), now).empty());
}

TEST_CASE("a rented box without a live run is forgotten after the profile's hours") {
    model::Profile profile;
    profile.platform.kind = model::PlatformKind::vm;
    profile.meter.forgotten_warn_h = 24;
    const model::Lease lease = rented(model::LeaseState::active);
    const auto after = [](std::int64_t hours) { return WallTime{1000 + hours * k_hour, 0}; };
    CHECK_FALSE(idle_for(profile, lease, {}, after(24)));
    CHECK(idle_for(profile, lease, {}, after(25)) == 25 * k_hour);
    CHECK_FALSE(idle_for(profile, rented(model::LeaseState::closed), {}, after(99)));
    CHECK_FALSE(idle_for(profile, rented(model::LeaseState::stopped), {}, after(99)));
    CHECK(idle_for(profile, rented(model::LeaseState::unconfirmed), {}, after(99)));
    std::vector<model::Run> runs{ended(model::VerdictKind::done)};
    runs.front().verdict_at = after(10);
    CHECK_FALSE(idle_for(profile, lease, runs, after(30)));
    CHECK(idle_for(profile, lease, runs, after(40)) == 30 * k_hour);
    runs.push_back(ended(model::VerdictKind::running));
    CHECK_FALSE(idle_for(profile, lease, runs, after(99)));
    profile.platform.kind = model::PlatformKind::owned;
    CHECK_FALSE(idle_for(profile, lease, {}, after(99)));
}

TEST_CASE("a run is at risk until all it must leave is proven with the same digest") {
    using enum model::VerdictKind;
    const ledger::Manifest manifest{
        .entries = {file("a", "1"), file("b", "2"), file("n", "3", model::RosterClass::nice)}};
    CHECK(risk_of(ended(running), manifest, {})->reason == "r1 is RUNNING");
    CHECK(risk_of(ended(unreachable), manifest, {})->reason == "r1 is UNREACHABLE");
    CHECK(risk_of(ended(done), std::nullopt, {})->reason == "r1: what it left behind was never listed");
    CHECK(risk_of(ended(done), manifest, {})->reason == "r1: 2 of 2 files are not proven");
    const std::vector<ledger::ProvenFile> older{proven("a", "1"), proven("b", "1")};
    CHECK(risk_of(ended(done), manifest, older)->reason == "r1: 1 of 2 files is not proven");
    const std::vector<ledger::ProvenFile> all{proven("a", "1"), proven("b", "2")};
    CHECK_FALSE(risk_of(ended(done), manifest, all));
    CHECK_FALSE(risk_of(ended(failed), manifest, all));
    model::Run scratch = ended(done);
    scratch.spec.scratch = true;
    CHECK_FALSE(risk_of(scratch, std::nullopt, {}));
    scratch.verdict.kind = running;
    CHECK(risk_of(scratch, std::nullopt, {})->reason == "r1 is RUNNING");
}

TEST_CASE("a run without a roster stays at risk, whatever was pulled of it") {
    using enum model::VerdictKind;
    model::Run run = ended(done);
    run.spec.roster.clear();
    const ledger::Manifest manifest{.entries = {file("_run/log", "1")}};
    const std::vector<ledger::ProvenFile> all{proven("_run/log", "1")};
    const auto risk = risk_of(run, manifest, all);
    REQUIRE(risk);
    CHECK(risk->reason == "r1 was launched without --out, so nothing says what it must leave behind");
    run.spec.scratch = true;
    CHECK_FALSE(risk_of(run, manifest, all));
}

TEST_CASE("a roster that matched nothing leaves its run at risk") {
    using enum model::VerdictKind;
    const ledger::Manifest manifest{.entries = {file("_run/log", "1")}};
    const std::vector<ledger::ProvenFile> all{proven("_run/log", "1")};
    CHECK(risk_of(ended(done), manifest, all)->reason == "r1: nothing was there of what its roster names");
    model::Run nice = ended(done);
    nice.spec.roster.front().wanted = model::RosterClass::nice;
    CHECK_FALSE(risk_of(nice, manifest, all));
    // A run that failed says so itself, and what an earlier receipt holds was there.
    CHECK_FALSE(risk_of(ended(failed), manifest, all));
    std::vector<ledger::ProvenFile> rotated = all;
    rotated.push_back(proven("a", "1"));
    CHECK_FALSE(risk_of(ended(done), manifest, rotated));
}

TEST_CASE("what was seen and not pulled is at risk, and an equal file of an earlier receipt counts") {
    using enum model::VerdictKind;
    const ledger::Manifest manifest{.entries = {file("a", "1"), file("b", "")}};
    const std::vector<ledger::ProvenFile> one{proven("a", "1")};
    CHECK(risk_of(ended(done), manifest, one)->reason == "r1: 1 of 2 files is not proven");
    const std::vector<ledger::ProvenFile> both{proven("a", "1"), proven("b", "2")};
    CHECK_FALSE(risk_of(ended(done), manifest, both));
    std::vector<ledger::ProvenFile> other = both;
    other.back().entry.file.size = 7;
    CHECK(risk_of(ended(done), manifest, other));
    std::vector<ledger::ProvenFile> broken = both;
    broken.front().entry.structure = model::Structure::broken;
    CHECK(risk_of(ended(done), manifest, broken));
}

TEST_CASE("a pull that came before the end of its run leaves it at risk") {
    using enum model::VerdictKind;
    model::Run run = ended(done);
    run.verdict_at = {2000, 0};
    const std::vector<ledger::ProvenFile> all{proven("a", "1"), proven("_run/exit.json", "2")};
    ledger::Manifest manifest{.made = {1000, 0}, .entries = {file("a", "1")}};
    CHECK(risk_of(run, manifest, all)->reason == "r1: it went on after the last pull");
    manifest.entries.push_back(file("_run/exit.json", "2"));
    CHECK_FALSE(risk_of(run, manifest, all));
    run.attempt = 2;  // that record may be the first attempt's
    CHECK(risk_of(run, manifest, all));
    manifest.made = {2000, 0};
    CHECK_FALSE(risk_of(run, manifest, all));
}

TEST_CASE("the overview reads leases, runs and proof from the ledger") {
    const support::TempDir dir;
    const support::TestOp test;
    auto opened = ledger::Ledger::open(test, dir / "state");
    REQUIRE(opened);
    model::Lease lease;
    lease.name = "b1";
    lease.profile = "generic-ssh";
    const auto stored = opened->add_lease(lease);
    REQUIRE(stored);
    model::RunSpec spec;
    spec.name = "r1";
    REQUIRE(opened->claim_run(stored->id, spec));
    const auto views = view_leases(test, *opened, ledger::Which::open);
    REQUIRE(views);
    REQUIRE(views->size() == 1);
    REQUIRE(views->front().at_risk.size() == 1);
    CHECK(views->front().at_risk.front().reason.starts_with("r1 is QUEUED, as last seen at "));
    REQUIRE(opened->close_lease(stored->id, "test"));
    CHECK(view_leases(test, *opened, ledger::Which::open)->empty());
    const auto closed = view_leases(test, *opened, ledger::Which::all);
    REQUIRE(closed->size() == 1);
    CHECK(closed->front().at_risk.empty());
}
