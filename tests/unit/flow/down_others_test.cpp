// Who ends a machine for one lease ends it for everybody who works there: other leases of this ledger, other laptops,
// and whoever lost a ledger.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cstdlib>
#include <thread>

#include "down_stage.hpp"
#include "flow/cp.hpp"
#include "flow/root_mark.hpp"
#include "flow/run/stop.hpp"

using namespace drawhitch;
using support::closed_by;
using support::ids;
using support::write_file;
using Stage = support::DownStage;

namespace {

constexpr std::int64_t k_long = 86'400;

// Long after everything that lies there.
model::Lease begun_late(Stage& stage, std::int64_t lease) {
    const auto began = "UPDATE leases SET began_ns = began_ns + " + std::to_string(k_long) +
                       " * 1000000000 WHERE id = " + std::to_string(lease);
    REQUIRE(std::system(("python3 -c \"import sqlite3; c = sqlite3.connect('" + stage.local().ledger().state_dir() +
                         "/ledger.db'); c.execute('" + began + "'); c.commit()\"")
                            .c_str()) == 0);
    auto kept = stage.local().ledger().lease(lease);
    REQUIRE(kept);
    return *kept;
}

// Another lease of the same machine with a root of its own. It began long after everything that lies there.
model::Lease beside(Stage& stage, const std::string& name, const std::string& project) {
    auto lease = stage.lease();
    lease.name = name;
    lease.project = project;
    lease.root = stage.box + "/drawhitch/" + project;
    lease.root_nonce = std::string(32, '7');
    lease.began = {};
    const auto added = stage.local().ledger().add_lease(lease);
    REQUIRE(added);
    return begun_late(stage, added->id);
}

flow::DownReport look(Stage& stage, const model::Lease& lease, const flow::DownOptions& options = {}) {
    flow::Deps mine{stage.deps().ledger, stage.deps().connector, stage.deps().helpers, stage.yes,
                    stage.deps().laptop, stage.deps().project,   stage.deps().settings};
    mine.dry_run = true;
    auto report = flow::down(stage.op, mine, lease, options);
    INFO((report ? "" : report.error().message + " / " + report.error().why));
    REQUIRE(report);
    return std::move(*report);
}

const judge::Reason& reason_of(const flow::DownReport& report, const std::string& id) {
    for (const auto& reason : report.gate.reasons)
        if (reason.id == id) return reason;
    FAIL("no reason " << id);
    std::abort();
}

// As after `rm` of the ledger, or on another laptop: nothing is known of what was started here.
void forget_runs(Stage& stage) {
    REQUIRE(std::system(("python3 -c \"import sqlite3; c = sqlite3.connect('" + stage.local().ledger().state_dir() +
                         "/ledger.db'); c.execute('PRAGMA foreign_keys = OFF'); c.execute('DELETE FROM runs'); "
                         "c.commit()\"")
                            .c_str()) == 0);
    REQUIRE(stage.local().ledger().runs(stage.lease().id)->empty());
}

}  // namespace

TEST_CASE("what another open lease of the machine has not brought home closes the gate, with that lease's command") {
    Stage stage;
    stage.finished_run();
    write_file(stage.box + "/stray.csv", "1,2\n");
    const auto second = beside(stage, "second", "other");
    const auto report = look(stage, second);
    CHECK(closed_by(report, "not-pulled", stage.work() + "/a.pt"));
    CHECK(reason_of(report, "not-pulled").next == "drawhitch pull b1 r1");
    CHECK(reason_of(report, "not-pulled").run == "b1/r1");
    // The box's own files are asked about since the first of its open leases began.
    CHECK(closed_by(report, "undeclared", stage.box));
    stage.pull();
    std::filesystem::remove(stage.box + "/stray.csv");
    const auto pulled = look(stage, second);
    for (const auto& line : ids(pulled))
        UNSCOPED_INFO(line);
    CHECK(pulled.gate.open);
}

TEST_CASE("a live run of another lease is named as that lease's, and no name of this one opens the gate over it") {
    Stage stage;
    auto options = Stage::job("exec sleep 60", {"*.pt"});
    options.name = "r1";
    stage.launch(options);
    stage.await("r1", {model::VerdictKind::running});
    const auto second = beside(stage, "second", "other");
    const auto report = look(stage, second);
    CHECK(closed_by(report, "run-live", "b1/r1"));
    CHECK(reason_of(report, "run-live").next == "drawhitch watch b1 r1");
    CHECK(reason_of(report, "run-live").instead == "drawhitch stop-run b1 r1");
    CHECK(reason_of(report, "run-live").give_up.empty());
    for (const auto& reason : report.gate.reasons)
        CHECK(reason.id != "process");
    CHECK(closed_by(look(stage, second, {.kill_runs = {"r1"}}), "no-such-name", "r1"));
}

// The same disk under another host key: no key in common, and the mark alone tells.
model::Lease by_another_key(Stage& stage, const std::string& name, bool same_root) {
    auto lease = stage.lease();
    lease.name = name;
    lease.endpoint.transport = model::TransportKind::ssh;
    lease.began = {};
    if (!same_root) {
        lease.project = "other";
        lease.root = stage.box + "/drawhitch/other";
        lease.root_nonce = std::string(32, '7');
    }
    const auto added = stage.local().ledger().add_lease(lease);
    REQUIRE(added);
    return *added;
}

TEST_CASE("runs of a lease that reaches the same disk by another key are that lease's, with its commands") {
    const bool same_root = GENERATE(true, false);
    CAPTURE(same_root);
    Stage stage;
    stage.finished_run();
    const auto second = by_another_key(stage, "second", same_root);
    const auto report = look(stage, second);
    CHECK(closed_by(report, "not-pulled", stage.work() + "/a.pt"));
    CHECK(reason_of(report, "not-pulled").next == "drawhitch pull b1 r1");
    for (const auto& reason : report.gate.reasons)
        CHECK(reason.id != "unknown-run");
    stage.pull();
    CHECK(look(stage, second).gate.open);
}

TEST_CASE("a live run of a lease that reaches the same disk by another key is that lease's run, and no stray process") {
    const bool same_root = GENERATE(true, false);
    CAPTURE(same_root);
    Stage stage;
    auto options = Stage::job("exec sleep 60", {"*.pt"});
    options.name = "r1";
    stage.launch(options);
    stage.await("r1", {model::VerdictKind::running});
    const auto report = look(stage, by_another_key(stage, "second", same_root));
    CHECK(closed_by(report, "run-live", "b1/r1"));
    CHECK(reason_of(report, "run-live").next == "drawhitch watch b1 r1");
    for (const auto& reason : report.gate.reasons)
        CHECK((reason.id != "process" && reason.id != "unknown-run"));
}

namespace {

// Nobody answers at the other end; how long each would have been waited for is kept.
class Silence final : public transport::Transport {
  public:
    explicit Silence(std::vector<milliseconds>& waits) : waits_(waits) {}
    Result<std::unique_ptr<transport::Process>> exec(const Op& op, const transport::BoxCommand&) override {
        waits_.push_back(op.left(milliseconds{3'600'000}));
        std::this_thread::sleep_for(milliseconds{20});  // some of the time has to pass
        return Error{Code::deadline, "the time is over"};
    }
    [[nodiscard]] std::string describe() const override { return "silence"; }

  private:
    std::vector<milliseconds>& waits_;
};

// All boxes but one are silent.
class OneAnswers final : public flow::Connector {
  public:
    OneAnswers(std::string name, std::vector<milliseconds>& waits) : name_(std::move(name)), waits_(waits) {}
    Result<std::unique_ptr<transport::Transport>> to(const Op& op, const model::Lease& lease) override {
        if (lease.name == name_) return local_.to(op, lease);
        return std::unique_ptr<transport::Transport>{std::make_unique<Silence>(waits_)};
    }

  private:
    std::string name_{};
    std::vector<milliseconds>& waits_;
    support::LocalConnector local_{};
};

}  // namespace

TEST_CASE(
    "other leases of the disk that do not answer are waited for a few seconds together, and their runs are unknown") {
    Stage stage;
    auto options = Stage::job("exec sleep 60", {"*.pt"});
    options.name = "r1";
    stage.launch(options);
    stage.await("r1", {model::VerdictKind::running});
    const auto second = by_another_key(stage, "second", true);
    const auto third = by_another_key(stage, "third", true);
    auto claim = stage.local().ledger().runs(stage.lease().id)->front().spec;
    claim.name = "r9";
    claim.run_dir = stage.local().root() + "/runs/r9";
    claim.work_dir = claim.run_dir + "/work";
    REQUIRE(stage.local().ledger().claim_run(third.id, claim));
    std::vector<milliseconds> waits;
    OneAnswers connector{"second", waits};
    flow::Deps mine{
        stage.deps().ledger,  connector, stage.deps().helpers, stage.yes, stage.deps().laptop, stage.deps().project,
        stage.deps().settings};
    mine.dry_run = true;
    const auto report = flow::down(stage.op, mine, second, {});
    INFO((report ? "" : report.error().message));
    REQUIRE(report);
    CHECK(closed_by(*report, "run-unknown", "b1/r1"));
    CHECK(closed_by(*report, "run-unknown", "third/r9"));
    REQUIRE(waits.size() == 2);
    CHECK(waits[0] <= milliseconds{5'000});
    CHECK(waits[1] < waits[0]);
}

TEST_CASE("runs of an ended lease of this ledger are known by the mark, under whatever root and key of the disk") {
    const bool marked = GENERATE(true, false);
    CAPTURE(marked);
    Stage stage;
    stage.finished_run();
    const auto second = begun_late(stage, by_another_key(stage, "second", false).id);
    REQUIRE(stage.local().ledger().close_lease(stage.lease().id, "ended"));
    if (!marked) write_file(stage.local().root() + "/lease-nonce", std::string(32, '9') + "\n");
    const auto report = look(stage, second);
    for (const auto& line : ids(report))
        UNSCOPED_INFO(line);
    CHECK(report.gate.open == marked);
    if (!marked) CHECK(closed_by(report, "unknown-run", stage.local().root() + "/runs/r1"));
}

TEST_CASE("a lease of a machine with the same host key, whose mark is not on this one, closes nothing here") {
    Stage stage;
    stage.finished_run();
    const auto second = beside(stage, "second", "other");
    write_file(stage.local().root() + "/lease-nonce", std::string(32, '9') + "\n");
    // Its run is on this machine all the same, and so it is nobody's that is known here: no lease's word counts for it.
    const auto report = look(stage, second);
    for (const auto& reason : report.gate.reasons)
        CHECK(reason.id != "not-pulled");
}

TEST_CASE("runs that the ledger does not know close the gate however old, until they are copied or given up by name") {
    const bool inherited = GENERATE(true, false);
    CAPTURE(inherited);
    Stage stage;
    stage.finished_run();
    std::filesystem::create_directories(stage.local().root() + "/shared/set");
    write_file(stage.local().root() + "/shared/set/a.csv", "1");
    const std::string run = stage.local().root() + "/runs/r1";
    forget_runs(stage);
    // The same root is adopted by a new ledger, or another project's of the same box.
    auto next = beside(stage, "fresh", inherited ? "demo" : "other");
    REQUIRE(stage.local().ledger().close_lease(stage.lease().id, "of another ledger"));
    if (inherited) {
        const std::string mark = support::read_file(stage.local().root() + "/lease-nonce");
        REQUIRE(stage.local().ledger().set_root(next.id, "demo", stage.local().root(), mark.substr(0, 32)));
        next = *stage.local().ledger().lease(next.id);
        REQUIRE(flow::note_inherited_root(stage.local().ledger(), next));
    }
    const auto report = look(stage, next);
    CHECK(closed_by(report, "unknown-run", run));
    const std::string to = "pulls/fresh/_box" + stage.local().root() + "/runs/";
    CHECK(reason_of(report, "unknown-run").next == "drawhitch cp fresh:" + run + " " + to);
    CHECK(reason_of(report, "unknown-run").give_up == std::vector<std::string>{"--lose", run});
    CHECK(closed_by(look(stage, next, {.lose = {stage.box}}), "unknown-run", run));
    if (inherited) CHECK(closed_by(report, "undeclared", stage.local().root() + "/shared/set"));
    CHECK(look(stage, next, {.lose = {run, stage.local().root() + "/shared/set"}}).gate.open == inherited);
    CHECK(look(stage, next, {.lose = {run}}).gate.open == !inherited);

    support::TempDir here;
    for (const std::string& place : {run, stage.local().root() + "/shared/set"}) {
        const auto copied = flow::cp(stage.op, stage.deps(), {"fresh", place, here / "home/", false});
        INFO((copied ? "" : copied.error().message));
        REQUIRE(copied);
        REQUIRE_FALSE(copied->problem);
    }
    CHECK(support::read_file(here / "home/r1/work/a.pt") == "abc");
    const auto brought = look(stage, next);
    for (const auto& line : ids(brought))
        UNSCOPED_INFO(line);
    CHECK(brought.gate.open);
    write_file(stage.work() + "/a.pt", "new");
    CHECK(closed_by(look(stage, next), "unknown-run", run));
}

TEST_CASE("a live run that the ledger does not know is told as living, and no copy of it is offered before it ends") {
    Stage stage;
    auto options = Stage::job("echo x >a.pt; exec sleep 60", {"*.pt"});
    options.name = "r1";
    stage.launch(options);
    stage.await("r1", {model::VerdictKind::running});
    const std::string run = stage.local().root() + "/runs/r1";
    const std::string pid = std::to_string(stage.local().ledger().runs(stage.lease().id)->front().identity.pid);
    forget_runs(stage);
    // Started long before the lease that asks.
    const auto second = beside(stage, "second", "other");
    REQUIRE(stage.local().ledger().close_lease(stage.lease().id, "of another ledger"));
    const auto report = look(stage, second);
    CHECK(closed_by(report, "unknown-run-live", run));
    const auto& reason = reason_of(report, "unknown-run-live");
    CHECK(reason.text.find("which still runs (process ") != std::string::npos);
    CHECK(reason.text.find("since 20") != std::string::npos);
    CHECK(reason.next == "drawhitch exec second -- tail -n 20 " + run + "/log");
    CHECK(reason.give_up.empty());
    for (const auto& other : report.gate.reasons)
        CHECK(other.next.find("drawhitch cp") == std::string::npos);
    CHECK(reason_of(report, "process").text.find("process") == 0);
    // Names open nothing as long as it lives.
    const auto named = look(stage, second, {.lose = {run}});
    CHECK_FALSE(named.gate.open);
}
