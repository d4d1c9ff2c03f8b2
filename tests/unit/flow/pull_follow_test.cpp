// Pulling while a run goes on: what settles is brought home and proven at once, what is half-written is not.
#include "flow/pull_follow.hpp"

#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <map>

#include "run/run_stage.hpp"
#include "support/faulty_transport.hpp"
#include "support/temp_dir.hpp"

using namespace drawhitch;
using support::RunStage;

namespace {

// Waits for the file that the test makes when it has seen enough.
std::string wait_for(const std::string& path) {
    return "while [ ! -e " + path + " ]; do sleep 0.05; done; ";
}

struct Stage : RunStage {
    std::vector<std::string> told{};  // "name" of what was proven, "!name" of what was not
    std::function<void(const std::string& word)> meanwhile{};
    std::map<std::string, std::string> opens{};  // by such a word: the gate file of the job that it opens

    [[nodiscard]] std::string gate(const std::string& name) { return local().project_directory() + "/" + name; }
    [[nodiscard]] std::string there() { return local().project_directory() + "/pulls/b1/r1"; }
    void start(const std::string& script, const std::vector<std::string>& out) {
        auto options = job(script, out);
        options.name = "r1";
        launch(options);
    }
    Result<flow::FollowReport> follow(flow::FollowOptions options = {}) {
        options.pull.box = "b1";
        options.every = milliseconds{300};
        return flow::follow_run(op, deps(), options, [this](const flow::FollowedUnit& followed) {
            const std::string word = (followed.unit.proven ? "" : "!") + followed.unit.name;
            told.push_back(word);
            if (meanwhile) meanwhile(word);
            if (const auto opened = opens.find(word); opened != opens.end()) support::write_file(opened->second, "");
        });
    }
    [[nodiscard]] long count(const std::string& word) const { return std::ranges::count(told, word); }
};

}  // namespace

TEST_CASE("what a run renames into place comes home while it goes on, and its log when it has ended") {
    Stage stage;
    // Each next step begins only when the one before is proven here: all of it happens while the run lives.
    stage.start("mkdir -p tmp/a; echo 1 >tmp/a/m.bin; mv tmp/a step-1; " + wait_for(stage.gate("one")) +
                    "mkdir tmp/b; echo 2 >tmp/b/m.bin; mv tmp/b step-2; echo best >tmp/c; mv tmp/c best.bin; " +
                    wait_for(stage.gate("two")) + wait_for(stage.gate("three")) + "echo end >last.bin",
                {"step-*/", "*.bin"});
    stage.opens = {{"step-1", stage.gate("one")}, {"step-2", stage.gate("two")}, {"best.bin", stage.gate("three")}};
    const auto report = stage.follow();
    INFO((report ? "" : report.error().message));
    REQUIRE(report);
    CHECK_FALSE(report->last.problem);
    CHECK(stage.op.events().told(EventKind::note, "r1 has ended: DONE"));
    CHECK(stage.count("step-1") == 1);
    CHECK(stage.count("step-2") == 1);
    CHECK(stage.count("best.bin") == 1);
    CHECK(stage.count("_run/log") == 0);  // it was written all the time
    CHECK(report->units >= 3);
    CHECK(support::read_file(stage.there() + "/step-2/m.bin") == "2\n");
    CHECK(support::read_file(stage.there() + "/last.bin") == "end\n");
    CHECK(::access((stage.there() + "/_run/log").c_str(), F_OK) == 0);
    const auto covered = stage.deps().ledger.covered(report->last.receipt->run);
    CHECK(std::ranges::any_of(*covered, [](const auto& proven) { return proven.entry.file.path == "_run/exit.json"; }));
}

TEST_CASE("what is half-written is not pulled before it is whole") {
    Stage stage;
    stage.start("exec 3>half.bin; echo first >&3; echo whole >whole.bin; " + wait_for(stage.gate("seen")) +
                    "echo second >&3; exec 3>&-; " + wait_for(stage.gate("closed")) + ":",
                {"*.bin"});
    stage.opens = {{"whole.bin", stage.gate("seen")}, {"half.bin", stage.gate("closed")}};
    const auto report = stage.follow();
    REQUIRE(report);
    CHECK_FALSE(report->last.problem);
    CHECK(stage.count("whole.bin") == 1);
    CHECK(stage.count("half.bin") == 1);
    CHECK(stage.count("!half.bin") == 0);
    CHECK(support::read_file(stage.there() + "/half.bin") == "first\nsecond\n");
}

TEST_CASE("a checkpoint that is written again comes again, and one that was rotated away stays proven here") {
    Stage stage;
    stage.start("echo old >tmp1; mv tmp1 last.bin; echo keep >tmp2; mv tmp2 gone.bin; " + wait_for(stage.gate("old")) +
                    wait_for(stage.gate("gone")) +
                    "rm gone.bin; echo renewed >tmp3; mv tmp3 last.bin; echo x >x.bin; " + wait_for(stage.gate("new")) +
                    ":",
                {"*.bin"});
    stage.opens = {{"last.bin", stage.gate("old")}, {"gone.bin", stage.gate("gone")}, {"x.bin", stage.gate("new")}};
    const auto report = stage.follow();
    REQUIRE(report);
    CHECK_FALSE(report->last.problem);
    CHECK(stage.count("last.bin") == 2);
    CHECK(support::read_file(stage.there() + "/last.bin") == "renewed\n");
    CHECK(support::read_file(stage.there() + "/gone.bin") == "keep\n");
    CHECK(support::read_file(stage.there() + "/SHA256SUMS").find("gone.bin") != std::string::npos);
}

TEST_CASE("a damaged checkpoint is told once, and does not end the following") {
    Stage stage;
    stage.start("printf '{\"cut\": ' >tmp1; mv tmp1 bad.json; " + wait_for(stage.gate("bad")) +
                    "echo '{}' >tmp2; mv tmp2 good.json; " + wait_for(stage.gate("good")) + ":",
                {"*.json"});
    stage.opens = {{"!bad.json", stage.gate("bad")}, {"good.json", stage.gate("good")}};
    const auto report = stage.follow();
    REQUIRE(report);
    CHECK(stage.count("!bad.json") == 1);
    CHECK(stage.count("good.json") == 1);
    REQUIRE(report->last.problem);
    CHECK(report->last.problem->code == Code::integrity);
}

TEST_CASE("what cannot land here is told once, holds back nothing, and is tried again") {
    Stage stage;
    stage.start("echo 1 >tmp1; mv tmp1 one.bin; " + wait_for(stage.gate("one")) +
                    "mkdir bad; echo 2 >tmp2; mv tmp2 bad/x.bin; " + wait_for(stage.gate("bad")) +
                    "echo 3 >tmp3; mv tmp3 late.bin; " + wait_for(stage.gate("late")) + ":",
                {"*.bin"});
    stage.opens = {{"one.bin", stage.gate("one")}, {"!bad/x.bin", stage.gate("bad")}, {"late.bin", stage.gate("late")}};
    stage.meanwhile = [&](const std::string& word) {
        // A file where a directory should be, until the last unit is here.
        if (word == "one.bin") support::write_file(stage.there() + "/bad", "");
        if (word == "late.bin") ::unlink((stage.there() + "/bad").c_str());
    };
    const auto report = stage.follow();
    REQUIRE(report);
    CHECK_FALSE(report->last.problem);
    CHECK(stage.count("!bad/x.bin") == 1);
    CHECK(stage.count("late.bin") == 1);
    CHECK(support::read_file(stage.there() + "/bad/x.bin") == "2\n");
}

TEST_CASE("an interrupted following ends as such, and the next one brings only what is new") {
    Stage stage;
    stage.start("echo 1 >tmp1; mv tmp1 one.bin; " + wait_for(stage.gate("again")) + "echo 2 >two.bin; " +
                    wait_for(stage.gate("two")) + ":",
                {"*.bin"});
    {
        Cancel cancel;
        flow::FollowOptions options{};
        options.pull.box = "b1";
        options.pull.first = {"one.bin"};
        options.every = milliseconds{300};
        const Op op{cancel, system_clock(), silent_events()};
        const auto report = flow::follow_run(op, stage.deps(), options, [&](const flow::FollowedUnit& followed) {
            if (followed.unit.name == "one.bin") cancel.request();
        });
        REQUIRE_FALSE(report);
        CHECK(report.error().code == Code::cancelled);
        CHECK(report.error().next == "drawhitch pull b1 r1 --first one.bin --follow");
    }
    support::write_file(stage.gate("again"), "");
    stage.opens = {{"two.bin", stage.gate("two")}};
    const auto report = stage.follow();
    REQUIRE(report);
    CHECK_FALSE(report->last.problem);
    CHECK(support::read_file(stage.there() + "/two.bin") == "2\n");
}

namespace {

// The box answers every second connection only, and in the end no more at all.
class Blinking final : public flow::Connector {
  public:
    Blinking(flow::Connector& box, int answers) : box_(box), answers_(answers) {}
    Result<std::unique_ptr<transport::Transport>> to(const Op& op, const model::Lease& lease) override {
        ++asked;
        if (asked > answers_) return Error{Code::refused, Retry::after_wait, "b1 refused the connection"};
        return box_.to(op, lease);
    }
    int asked{0};

  private:
    flow::Connector& box_;
    int answers_;
};

// Time passes by itself whenever somebody waits.
class Leaping final : public Clock {
  public:
    Instant now() const override { return system_clock().now() + ahead_; }
    WallTime wall() const override { return system_clock().wall(); }
    void sleep(milliseconds duration, const Cancel&) override {
        slept.push_back(duration);
        ahead_ += duration;
    }
    std::vector<milliseconds> slept{};

  private:
    milliseconds ahead_{0};
};

}  // namespace

TEST_CASE("a box that falls silent is told as unreachable once, asked ever more rarely, and given up in the end") {
    Stage stage;
    stage.start("echo 1 >tmp1; mv tmp1 one.bin; " + wait_for(stage.gate("never")) + ":", {"*.bin"});
    Leaping clock;
    support::RecordingSink events;
    Cancel cancel;
    flow::Deps& all = stage.deps();
    Blinking box{all.connector, 2};
    flow::Deps deps{all.ledger, box, all.helpers, all.prompt, all.laptop, all.project, all.settings};
    flow::FollowOptions options{};
    options.pull.box = "b1";
    options.every = milliseconds{15'000};
    const auto report = flow::follow_run(Op{cancel, clock, events}, deps, options, [](const auto&) {});
    REQUIRE_FALSE(report);
    CHECK(report.error().code == Code::refused);
    CHECK(report.error().next == "drawhitch pull b1 r1 --follow");
    const auto notes = events.texts(EventKind::note);
    CHECK(std::ranges::count_if(
              notes, [](const std::string& text) { return text.find("UNREACHABLE") != std::string::npos; }) == 1);
    CHECK(box.asked < 30);
    CHECK(std::ranges::max(clock.slept) > milliseconds{15'000});
    CHECK(std::ranges::max(clock.slept) <= milliseconds{120'000});
    support::write_file(stage.gate("never"), "");
}
