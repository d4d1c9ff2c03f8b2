#include "flow/down/down.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "down_stage.hpp"
#include "flow/overview.hpp"
#include "flow/pull.hpp"
#include "flow/push.hpp"
#include "flow/run/launch.hpp"
#include "flow/run/poll.hpp"
#include "flow/run/stop.hpp"
#include "io/ledger/lock.hpp"
#include "io/transport/local.hpp"
#include "support/faulty_transport.hpp"

using namespace drawhitch;
using flow::EndState;
using model::VerdictKind;
using Stage = support::DownStage;
using support::closed_by;
using support::ids;
using support::read_file;
using support::write_file;

TEST_CASE("down after a pull opens the gate, deletes the secrets and says what to end by hand") {
    Stage stage;
    stage.finished_run();
    const auto secrets = stage.local().ledger().volatile_files(stage.lease().id);
    REQUIRE(secrets->size() == 1);
    const std::string secret = secrets->front().path;
    CHECK(std::filesystem::exists(secret));
    stage.pull();
    bool shown = false;
    const auto report = stage.down({.show = [&](const flow::DownPlan& plan) { shown = plan.gate.open; }});
    INFO((report.gate.reasons.empty() ? "" : report.gate.reasons.front().text));
    CHECK(report.gate.open);
    CHECK(shown);
    CHECK(report.gate.confirmation == judge::Confirmation::yes_no);
    CHECK(report.state == EndState::unconfirmed);
    CHECK(report.by_hand == "Press the red button.");
    CHECK(report.removed == std::vector<std::string>{secret});
    CHECK_FALSE(std::filesystem::exists(secret));
    CHECK(stage.lease().state == model::LeaseState::unconfirmed);
    CHECK(stage.local().ledger().volatile_files(stage.lease().id)->empty());
    CHECK(stage.local().ledger().open_intents()->empty());
    const std::string kept = read_file(report.report_file);
    CHECK(kept.find("\"a.pt\"") != std::string::npos);
    CHECK(kept.find("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad") != std::string::npos);
    CHECK(read_file(report.report_file.substr(0, report.report_file.size() - 4) + "md").find("Press the red button") !=
          std::string::npos);
}

TEST_CASE("down before the pull is refused and nothing is changed") {
    Stage stage;
    stage.finished_run();
    const auto report = stage.down();
    CHECK(closed_by(report, "not-pulled", stage.work() + "/a.pt"));
    CHECK(report.gate.reasons.front().next == "drawhitch pull b1 r1");
    CHECK(report.state == EndState::not_asked);
    CHECK(stage.lease().state == model::LeaseState::active);
    CHECK(stage.local().ledger().volatile_files(stage.lease().id)->size() == 1);
}

TEST_CASE("a name that was told to be at stake is only noted when it is safe by now") {
    Stage stage;
    stage.finished_run("printf abc >a.pt; printf more >extra.bin");
    stage.pull();
    const std::string stray = stage.box + "/stray.txt";
    write_file(stray, "notes");
    const std::string extra = stage.work() + "/extra.bin";
    const bool dry = GENERATE(false, true);
    CAPTURE(dry);
    REQUIRE(closed_by(stage.down({}, dry), "undeclared", stage.box));
    REQUIRE(flow::pull(stage.op, stage.deps(), {.box = "b1", .run = "r1", .all = true}));
    std::filesystem::remove(stray);
    CHECK(closed_by(stage.down({.lose = {stray, extra, stray + "x"}}, true), "no-such-name", stray + "x"));
    const auto report = stage.down({.lose = {stray, extra, stage.work() + "/a.pt"}}, true);
    INFO((report.gate.reasons.empty() ? "" : report.gate.reasons.front().text));
    CHECK(report.gate.open);
    CHECK(std::ranges::count(report.gate.remarks,
                             "--lose " + stray + " is not needed any more: it was at stake before") == 1);
}

TEST_CASE("a run whose directory is gone closes the gate unless all of it was proven") {
    const bool pulled = GENERATE(false, true);
    const bool roster = GENERATE(true, false);
    CAPTURE(pulled, roster);
    Stage stage;
    stage.finished_run("printf abc >a.pt", roster ? std::vector<std::string>{"*.pt"} : std::vector<std::string>{});
    if (pulled && roster) stage.pull();
    const std::string directory = stage.local().root() + "/runs/r1";
    std::filesystem::remove_all(directory);
    const auto report = stage.down({}, true);
    if (pulled && roster) {
        CHECK(report.gate.open);
    } else {
        CHECK(closed_by(report, "gone", directory));
        flow::DownOptions options{};
        options.lose = {directory};
        const auto given_up = stage.down(options, true);
        CHECK(given_up.gate.open);
        CHECK(given_up.gate.confirmation == judge::Confirmation::typed_name);
    }
}

TEST_CASE("a run of an impossible name, as an old ledger may have one, does not make the box unreachable") {
    Stage stage;
    const std::size_t size = GENERATE(std::size_t{300}, std::size_t{120'000});
    CAPTURE(size);
    model::RunSpec spec;
    spec.name = std::string(size, 'n');
    spec.command = {"true"};
    spec.run_dir = stage.local().root() + "/runs/" + spec.name;
    spec.work_dir = spec.run_dir + "/work";
    REQUIRE(stage.local().ledger().claim_run(stage.lease().id, spec));
    const auto report = stage.down({}, true);
    for (const auto& reason : report.gate.reasons) {
        CHECK(reason.id != "unreachable");
        CHECK(reason.id != "runs-unknown");
    }
}

TEST_CASE("a root that lost its mark closes the gate until that is accepted") {
    const std::string how = GENERATE("emptied", "gone", "mark removed");
    CAPTURE(how);
    Stage stage;
    stage.finished_run();
    stage.pull();
    const std::string root = stage.local().root();
    if (how == "mark removed") {
        std::filesystem::remove(root + "/lease-nonce");
    } else {
        std::filesystem::remove_all(root);
    }
    if (how == "emptied") std::filesystem::create_directories(root);
    CHECK(closed_by(stage.down({}, true), "no-mark", ""));
    flow::DownOptions options{};
    options.accept = {"no-mark"};
    // Without any root, nobody can say that the run's directory is gone for good.
    if (how == "gone") options.lose = {stage.work()};
    const auto accepted = stage.down(options, true);
    for (const auto& line : ids(accepted))
        UNSCOPED_INFO(line);
    CHECK(accepted.gate.open);
    CHECK(accepted.gate.confirmation == judge::Confirmation::typed_name);
}

TEST_CASE("a root with another lease's mark is no answer at all") {
    Stage stage;
    write_file(stage.local().root() + "/lease-nonce", std::string(32, 'f') + "\n");
    const auto report = stage.try_down({}, true);
    REQUIRE_FALSE(report);
    CHECK(report.error().code == Code::host_key);
}

TEST_CASE("a checkpoint that changed after the pull closes the gate again") {
    Stage stage;
    stage.finished_run();
    stage.pull();
    write_file(stage.work() + "/a.pt", "abd");
    CHECK(closed_by(stage.down(), "changed", stage.work() + "/a.pt"));
}

TEST_CASE("a live run closes the gate until it is named, and then its results must be proven all the same") {
    Stage stage;
    auto options = stage.job("printf abc >a.pt; exec sleep 60", {"*.pt"});
    options.name = "r1";
    stage.launch(options);
    stage.await_text("r1", "work/a.pt", "abc");
    CHECK(closed_by(stage.down(), "run-live", "r1"));
    CHECK(closed_by(stage.down({.kill_runs = {"r1"}, .confirm = "b1"}), "not-pulled", stage.work() + "/a.pt"));
    CHECK(stage.verdict("r1").kind == VerdictKind::running);
    REQUIRE(flow::pull(stage.op, stage.deps(), {.box = "b1", .run = "r1"}));
    const auto report = stage.down({.kill_runs = {"r1"}, .confirm = "b1"});
    for (const auto& line : ids(report))
        UNSCOPED_INFO(line);
    CHECK(report.state == EndState::unconfirmed);
    CHECK(model::is_terminal(stage.verdict("r1").kind));
}

TEST_CASE("a result that a killed run writes at its end closes the gate, and the box stays") {
    Stage stage;
    auto options = stage.job("trap 'printf last >z.pt; exit 0' TERM; printf abc >a.pt; sleep 60 & wait", {"*.pt"});
    options.name = "r1";
    stage.launch(options);
    stage.await_text("r1", "work/a.pt", "abc");
    REQUIRE(flow::pull(stage.op, stage.deps(), {.box = "b1", .run = "r1"}));
    CHECK(closed_by(stage.down({.kill_runs = {"r1"}, .confirm = "b1"}), "not-pulled", stage.work() + "/z.pt"));
    CHECK(stage.lease().state == model::LeaseState::active);
    stage.pull();
    CHECK(stage.down().state == EndState::unconfirmed);
}

TEST_CASE("files that nothing explains are listed and close the gate until they are given up by name") {
    Stage stage;
    stage.finished_run();
    stage.pull();
    std::filesystem::create_directories(stage.box + "/notes");
    write_file(stage.box + "/notes/ideas.txt", "precious");
    write_file(stage.work() + "/unlisted.bin", "x");
    write_file(stage.work() + "/junk.tmp", "x");
    const auto report = stage.down();
    CHECK(closed_by(report, "undeclared", stage.box + "/notes"));
    CHECK(closed_by(report, "undeclared", stage.work()));
    flow::DownOptions lose{.lose = {stage.box + "/notes", stage.work() + "/unlisted.bin"}, .confirm = "b1"};
    const auto opened = stage.down(lose, true);
    for (const auto& line : ids(opened))
        UNSCOPED_INFO(line);
    CHECK(opened.gate.open);
    CHECK(opened.gate.confirmation == judge::Confirmation::typed_name);
    CHECK(opened.state == EndState::not_asked);
    lose.confirm = "b2";
    CHECK(stage.try_down(lose).error().code == Code::usage);
    lose.confirm.clear();
    CHECK(stage.try_down(lose).error().code == Code::usage);  // --yes types no name
    CHECK(stage.lease().state == model::LeaseState::active);
    lose.confirm = "b1";
    CHECK(stage.down(lose).state == EndState::unconfirmed);
}

TEST_CASE("what the profile calls scratch is not asked about, but for what a resume may need") {
    Stage stage;
    std::string profile = support::rented_profile(stage.box);
    profile.replace(profile.find("\"*.tmp\""), 7, "\"*.tmp\", \"latest*\", \"*.ckpt\", \"spill/\"");
    REQUIRE(stage.local().ledger().set_profile(stage.lease().id, "generic-ssh", profile));
    const bool roster = GENERATE(true, false);
    CAPTURE(roster);
    stage.finished_run("printf abc >a.pt", roster ? std::vector<std::string>{"*.pt"} : std::vector<std::string>{});
    if (roster) stage.pull();
    std::filesystem::create_directories(stage.work() + "/spill");
    write_file(stage.work() + "/junk.tmp", "x");
    write_file(stage.work() + "/spill/chunk7", "x");
    if (!roster) {
        // Nobody said what matters, so all of it does.
        CHECK(closed_by(stage.down({}, true), "undeclared", stage.work() + "/spill"));
        return;
    }
    CHECK(stage.down({}, true).gate.open);
    write_file(stage.box + "/stray.tmp", "x");  // not of a run
    CHECK(ids(stage.down({}, true)) == std::vector<std::string>{"undeclared " + stage.box});
    std::filesystem::remove(stage.box + "/stray.tmp");
    for (const char* name : {"latest", "step.ckpt", "spill/best.pt2"}) {
        CAPTURE(name);
        write_file(stage.work() + "/" + name, "x");
        CHECK_FALSE(stage.down({}, true).gate.open);
        std::filesystem::remove(stage.work() + "/" + name);
    }
}

TEST_CASE("code that was edited on the box is not explained by its release") {
    Stage stage;
    stage.finished_run();
    stage.pull();
    write_file(stage.work() + "/train.py", "print('edited on the box')\n");
    CHECK(closed_by(stage.down(), "undeclared", stage.work()));
}

TEST_CASE("a release that was changed on the box is shown, and the name must be typed") {
    Stage stage;
    stage.finished_run();
    stage.pull();
    const std::string hash = stage.local().ledger().run_by_name(stage.lease().id, "r1")->spec.code_hash;
    const std::string released = stage.local().root() + "/releases/" + hash + "/train.py";
    ::chmod(released.c_str(), 0644);
    write_file(released, "print('other')\n");
    const auto report = stage.down({}, true);
    REQUIRE_FALSE(report.gate.remarks.empty());
    CHECK(report.gate.remarks.front().find("was changed on the box") != std::string::npos);
    CHECK(report.gate.confirmation == judge::Confirmation::typed_name);
}

TEST_CASE("about a run that left nothing of what its roster names, down and ls say the same") {
    const bool failed = GENERATE(false, true);
    CAPTURE(failed);
    Stage stage;
    stage.finished_run(failed ? "exit 3" : "true", {"*.pt"});
    (void)flow::pull(stage.op, stage.deps(), {.box = "b1", .run = "r1"});
    const auto report = stage.down({}, true);
    const auto view = flow::view_lease(stage.op, stage.local().ledger(), stage.lease());
    REQUIRE(view);
    CHECK(report.gate.open == view->at_risk.empty());
    CHECK(report.gate.open == failed);
    if (failed) return;
    CHECK(ids(report) == std::vector<std::string>{"no-results r1"});
    CHECK(view->at_risk.front().reason == "r1: nothing was there of what its roster names");
    CHECK(stage.down({.accept = {"no-results:r1"}}, true).gate.open);
}

TEST_CASE("a run without a roster does not open the gate until its files are given up") {
    Stage stage;
    stage.finished_run("printf abc >a.pt", {});
    REQUIRE(flow::pull(stage.op, stage.deps(), {.box = "b1", .run = "r1"})->problem->code == Code::skipped);
    const auto report = stage.down();
    CHECK(closed_by(report, "no-roster", "r1"));
    CHECK(closed_by(report, "undeclared", stage.work()));
    CHECK(stage.down({.lose = {stage.work() + "/a.pt"}, .confirm = "b1"}).state == EndState::unconfirmed);
}

TEST_CASE("a run without a roster does not open the gate by a pull of all it made, but by declaring it") {
    Stage stage;
    stage.finished_run("printf abc >a.pt", {});
    REQUIRE(flow::pull(stage.op, stage.deps(), {.box = "b1", .run = "r1", .all = true}));
    const auto closed = stage.down();
    CHECK(ids(closed) == std::vector<std::string>{"no-roster r1"});
    CHECK(closed.gate.reasons.at(0).next == "drawhitch pull b1 r1 --out '**'");
    const auto nothing = flow::pull(stage.op, stage.deps(),
                                    {.box = "b1", .run = "r1", .declare = {{"*.ckpt", model::RosterClass::must}}});
    REQUIRE_FALSE(nothing);
    CHECK(nothing.error().code == Code::not_found);
    CHECK(closed_by(stage.down(), "no-roster", "r1"));
    REQUIRE(flow::pull(stage.op, stage.deps(),
                       {.box = "b1", .run = "r1", .declare = {{"*.pt", model::RosterClass::must}}}));
    CHECK(stage.down().state == EndState::unconfirmed);
}

TEST_CASE("what the roster names and no pull can bring is in the plan, and a link out of the run closes the gate") {
    Stage stage;
    std::filesystem::create_directories(stage.box + "/elsewhere");
    stage.finished_run("printf abc >a.pt; mkfifo pipe.pt; ln -s a.pt last.pt; ln -s ../../../../../elsewhere far.pt",
                       {"*.pt"});
    (void)flow::pull(stage.op, stage.deps(), {.box = "b1", .run = "r1"});
    const auto report = stage.down();
    CHECK(closed_by(report, "not-pullable", stage.work() + "/far.pt"));
    CHECK(report.gate.reasons.size() == 1);
    CHECK(report.gate.reasons.at(0).next == "drawhitch down b1 --lose " + stage.work() + "/far.pt");
    const std::vector<std::string> told = report.gate.remarks;
    CHECK(std::ranges::count(told, "r1: pipe.pt is a pipe: only files are pulled") == 1);
    CHECK(std::ranges::count(told, "r1: last.pt is a link to a.pt: only files are pulled") == 1);
    CHECK(stage.down({.lose = {stage.work() + "/far.pt"}, .confirm = "b1"}).state == EndState::unconfirmed);
}

TEST_CASE("what an ended lease left on a box that was adopted again does not die unseen") {
    Stage stage;
    stage.finished_run();
    const bool pulled = GENERATE(true, false);
    CAPTURE(pulled);
    if (pulled) stage.pull();
    auto again = stage.lease();
    REQUIRE(stage.local().ledger().close_lease(again.id, "the user said so"));
    again.began = {};
    const auto next = stage.local().ledger().add_lease(again);
    REQUIRE(next);
    // Long after: nothing that lies there has changed since the new lease began.
    const auto began = "UPDATE leases SET began_ns = began_ns + 86400000000000 WHERE id = " + std::to_string(next->id);
    REQUIRE(std::system(("python3 -c \"import sqlite3; c = sqlite3.connect('" + stage.local().ledger().state_dir() +
                         "/ledger.db'); c.execute('" + began + "'); c.commit()\"")
                            .c_str()) == 0);
    const auto lease = stage.local().ledger().lease(next->id);
    REQUIRE(lease);
    flow::Deps mine{stage.deps().ledger, stage.deps().connector, stage.deps().helpers, stage.yes,
                    stage.deps().laptop, stage.deps().project,   stage.deps().settings};
    mine.dry_run = true;
    const auto report = flow::down(stage.op, mine, *lease, {});
    REQUIRE(report);
    if (pulled) {
        for (const auto& line : ids(*report))
            UNSCOPED_INFO(line);
        CHECK(report->gate.open);
    } else {
        CHECK(closed_by(*report, "undeclared", stage.work()));
    }
}

namespace {

// The present lease ends without a word about its runs, and the box is adopted again.
model::Lease adopted_again(Stage& stage, bool same_mark) {
    auto next = stage.lease();
    REQUIRE(stage.local().ledger().close_lease(next.id, "nothing was rented"));
    next.began = {};
    if (!same_mark) next.root_nonce = std::string(32, '5');
    auto added = stage.local().ledger().add_lease(next);
    REQUIRE(added);
    return *added;
}

Result<flow::DownReport> down_of(Stage& stage, const model::Lease& lease, const flow::DownOptions& options, bool dry) {
    flow::Deps mine{stage.deps().ledger, stage.deps().connector, stage.deps().helpers, stage.yes,
                    stage.deps().laptop, stage.deps().project,   stage.deps().settings};
    mine.dry_run = dry;
    return flow::down(stage.op, mine, lease, options);
}

}  // namespace

TEST_CASE("an unproven run of an earlier lease that is gone from the box closes the gate until that is accepted") {
    const std::string how = GENERATE("same mark", "made anew", "replaced");
    CAPTURE(how);
    Stage stage;
    stage.finished_run();
    const auto earlier = stage.lease();
    const bool pulled = GENERATE(false, true);
    if (pulled) stage.pull();
    std::filesystem::remove_all(how == "made anew" ? stage.local().root() : stage.local().root() + "/runs/r1");
    const auto lease = adopted_again(stage, how != "made anew");
    flow::PushOptions push{};
    push.box = "b1";
    REQUIRE(flow::push(stage.op, stage.deps(), push));
    if (how == "replaced") {
        auto options = support::RunStage::job("true");
        options.name = "r1";
        options.scratch = true;
        const auto launched = flow::launch(stage.op, stage.deps(), lease, options);
        REQUIRE(launched);
        const auto verdict = [&] {
            return flow::view_runs(stage.op, stage.deps(), lease, "r1").value().runs.front().verdict.kind;
        };
        int looks = 0;
        while (!model::is_terminal(verdict()))
            REQUIRE(++looks < 200);
    }
    const auto report = down_of(stage, lease, {}, true);
    REQUIRE(report);
    for (const auto& line : ids(*report))
        UNSCOPED_INFO(line);
    if (pulled) {
        CHECK(report->gate.open);
        return;
    }
    const std::string subject = std::to_string(earlier.id) + "/r1";
    CHECK(closed_by(*report, "gone-earlier", subject));
    const auto accepted = down_of(stage, lease, {.accept = {"gone-earlier:" + subject}, .confirm = "b1"}, false);
    REQUIRE(accepted);
    CHECK(accepted->state == EndState::unconfirmed);
    // Nobody is asked about it again.
    const auto again = down_of(stage, lease, {}, true);
    REQUIRE(again);
    CHECK(again->gate.open);
}

TEST_CASE("an earlier run that was given up when its lease was closed is not asked about again") {
    Stage stage;
    stage.finished_run();
    REQUIRE(flow::give_up(stage.local().ledger(), stage.lease().id, "r1"));
    std::filesystem::remove_all(stage.local().root() + "/runs/r1");
    const auto lease = adopted_again(stage, true);
    const auto report = down_of(stage, lease, {}, true);
    REQUIRE(report);
    CHECK(report->gate.open);
}

TEST_CASE("a process of ours that no run owns closes the gate until it is accepted") {
    Stage stage;
    stage.finished_run();
    stage.pull();
    // It sits on the wiped tier, or elsewhere with a file open there, even one without a name any more.
    const bool sits_there = GENERATE(true, false);
    CAPTURE(sits_there);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const std::string loose = stage.box + "/loose";
        if (::chdir(sits_there ? stage.box.c_str() : "/usr") != 0) ::_exit(1);
        if (!sits_there && ::open(loose.c_str(), O_WRONLY | O_CREAT, 0600) < 0) ::_exit(1);
        if (!sits_there) ::unlink(loose.c_str());
        ::execlp("sleep", "sleep", "60", nullptr);
        ::_exit(1);
    }
    const auto report = stage.down({}, true);
    const auto accepted = stage.down({.accept = {"process:" + std::to_string(child)}}, true);
    ::kill(child, SIGKILL);
    CHECK(closed_by(report, "process", std::to_string(child)));
    CHECK(accepted.gate.open);
}

TEST_CASE("a name that meets nothing keeps the gate closed, and a path that names too much is refused") {
    Stage stage;
    stage.finished_run();
    stage.pull();
    CHECK(closed_by(stage.down({.lose = {stage.box + "/nothing"}}), "no-such-name", stage.box + "/nothing"));
    for (const char* path : {"relative", "/", "/a/../b", ""})
        CHECK(stage.try_down({.lose = {path}}).error().code == Code::usage);
}

TEST_CASE("a box without any run ends when nothing of ours lies on it") {
    Stage stage;
    CHECK(stage.down().state == EndState::unconfirmed);
}

TEST_CASE("a machine that was not rented is closed at once, and nothing on it is touched") {
    Stage stage{""};
    stage.finished_run();
    const auto report = stage.down();
    CHECK(report.gate.open);
    CHECK(report.gate.billing.empty());
    CHECK(report.state == EndState::ended);
    CHECK(stage.lease().state == model::LeaseState::closed);
    CHECK(std::filesystem::exists(stage.work() + "/a.pt"));
}

namespace {

// A box that does not answer.
class DeadConnector final : public flow::Connector {
  public:
    explicit DeadConnector(Code code) : code_(code) {}
    Result<std::unique_ptr<transport::Transport>> to(const Op&, const model::Lease&) override {
        return Error{code_, "nothing there"};
    }

  private:
    Code code_;
};

Result<flow::DownReport> down_over(Stage& stage, flow::Connector& connector) {
    flow::Deps mine{
        stage.deps().ledger,  connector, stage.deps().helpers, stage.yes, stage.deps().laptop, stage.deps().project,
        stage.deps().settings};
    return flow::down(stage.op, mine, stage.lease(), {});
}

}  // namespace

TEST_CASE("a box that does not answer closes the gate, and after an end that was asked for it proves nothing") {
    Stage stage;
    stage.finished_run();
    stage.pull();
    DeadConnector dead{Code::refused};
    const auto report = down_over(stage, dead);
    REQUIRE(report);
    CHECK_FALSE(report->gate.open);
    CHECK(report->gate.reasons.front().id == "unreachable");
    REQUIRE(stage.down().state == EndState::unconfirmed);
    const auto again = down_over(stage, dead);
    REQUIRE(again);
    CHECK(again->state == EndState::unconfirmed);
    CHECK(stage.lease().state == model::LeaseState::unconfirmed);
}

TEST_CASE("a box with another key is no answer at all") {
    Stage stage;
    DeadConnector other{Code::host_key};
    const auto report = down_over(stage, other);
    REQUIRE_FALSE(report);
    CHECK(report.error().code == Code::host_key);
    CHECK(stage.lease().state == model::LeaseState::active);
}

TEST_CASE("two teardowns of one box exclude each other") {
    Stage stage;
    const auto lock = ledger::FileLock::lease(stage.op, stage.local().ledger().state_dir(), stage.lease().id, "push");
    REQUIRE(lock);
    CHECK(stage.try_down().error().code == Code::locked);
}

namespace {

class FaultyConnector final : public flow::Connector {
  public:
    explicit FaultyConnector(support::FaultPlan& plan) : plan_(plan) {}
    Result<std::unique_ptr<transport::Transport>> to(const Op&, const model::Lease&) override {
        return std::unique_ptr<transport::Transport>(std::make_unique<support::FaultyTransport>(local_, plan_));
    }

  private:
    support::FaultPlan& plan_;
    transport::LocalTransport local_{};
};

}  // namespace

TEST_CASE("whichever call of the looking fails, an unproven result never dies", "[loop]") {
    Stage stage;
    stage.finished_run();  // not pulled: the right answer is always "closed"
    // Each look takes half a second, so every call fails in the long tests and every fourth here.
    const std::size_t stride = std::getenv("DRAWHITCH_LONG") != nullptr ? 1 : 7;
    for (std::size_t n = 1;; n += stride) {
        support::FaultPlan plan;
        plan.fail_at = n;
        FaultyConnector connector{plan};
        const auto report = down_over(stage, connector);
        CAPTURE(n);
        if (report) {
            CHECK_FALSE(report->gate.open);
            CHECK(report->state == EndState::not_asked);
        }
        CHECK(stage.lease().state == model::LeaseState::active);
        CHECK(stage.local().ledger().volatile_files(stage.lease().id)->size() == 1);
        if (!plan.fired) break;
        REQUIRE(n < 2000);
    }
}
