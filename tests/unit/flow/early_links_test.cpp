#include "flow/transfer/early_links.hpp"

#include <signal.h>

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fstream>
#include <thread>

#include "flow/cp.hpp"
#include "io/transport/local.hpp"
#include "support/distant_transport.hpp"
#include "support/local_deps.hpp"
#include "support/temp_dir.hpp"
#include "support/test_box.hpp"
#include "support/test_op.hpp"

using namespace drawhitch;

namespace {

// A box, and how often it was dialled.
struct Stage {
    support::TestOp op{};
    support::TempDir dir{};
    std::atomic<int> dialled{0};
    flow::Dial box = support::dial_box_with([] { return std::make_unique<transport::LocalTransport>(); }, dir.path());
    flow::Dial dial = [this](const Op& theirs) {
        ++dialled;
        return box(theirs);
    };
};

bool has_ended(pid_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string stat;
    std::getline(file, stat);
    return stat.empty() || stat.find(") Z ") != std::string::npos;
}

flow::Dial failing(Code code) {
    return [code](const Op&) -> Result<flow::Link> { return Error{code, "no"}; };
}

}  // namespace

TEST_CASE("connections that were begun early are handed out once each") {
    Stage stage;
    flow::EarlyLinks early{stage.op, stage.dial};
    early.begin(4);
    early.begin(6);
    for (int i = 0; i < 3; ++i) {
        const auto link = early.take(stage.op);
        REQUIRE(link);
        REQUIRE(*link);
        CHECK((*link)->agent->session().ping(stage.op));
    }
    const auto none = early.take(stage.op);
    REQUIRE(none);
    CHECK(!*none);
    CHECK(stage.dialled == 3);
}

TEST_CASE("without any that was begun, nobody waits") {
    Stage stage;
    flow::EarlyLinks early{stage.op, stage.dial};
    early.begin(1);
    const auto none = early.take(stage.op);
    REQUIRE(none);
    CHECK(!*none);
    CHECK(stage.dialled == 0);
}

TEST_CASE("more takers than connections: those that are too many make their own at once") {
    Stage stage;
    std::atomic<bool> open{false};
    flow::EarlyLinks early{stage.op, [&](const Op& op) {
                               while (!open)
                                   op.clock.sleep(milliseconds{1}, op.cancel);
                               return stage.dial(op);
                           }};
    early.begin(2);
    std::atomic<int> got{0};
    std::atomic<int> none{0};
    const auto taker = [&] {
        const auto link = early.take(stage.op);
        if (link && *link) ++got;
        if (link && !*link) ++none;
    };
    std::thread one{taker};
    std::thread two{taker};
    while (none == 0)
        std::this_thread::yield();
    CHECK(got == 0);
    open = true;
    one.join();
    two.join();
    CHECK(got == 1);
    CHECK(none == 1);
}

TEST_CASE("what a connection was refused for is the taker's, what was found on the box is nobody's") {
    support::TestOp op;
    flow::EarlyLinks refused{op, failing(Code::auth)};
    refused.begin(2);
    const auto error = refused.take(op);
    REQUIRE(!error);
    CHECK(error.error().code == Code::auth);

    flow::EarlyLinks other{op, failing(Code::not_found)};
    other.begin(2);
    const auto none = other.take(op);
    REQUIRE(none);
    CHECK(!*none);
}

TEST_CASE("a connection that breaks while nobody wants it is not handed out") {
    Stage stage;
    std::atomic<pid_t> helper{0};
    flow::EarlyLinks early{stage.op, [&](const Op& op) {
                               auto link = stage.dial(op);
                               if (link) helper = static_cast<pid_t>(link->agent->hello().pid);
                               return link;
                           }};
    early.begin(2);
    while (helper == 0)
        std::this_thread::yield();
    REQUIRE(::kill(helper, SIGKILL) == 0);
    while (!has_ended(helper))
        std::this_thread::yield();
    const auto none = early.take(stage.op);
    REQUIRE(none);
    CHECK(!*none);
}

TEST_CASE("who waits for a connection ends with a cancel") {
    support::TestOp op;
    flow::EarlyLinks early{op, [](const Op& theirs) -> Result<flow::Link> {
                               while (theirs.check())
                                   theirs.clock.sleep(milliseconds{1}, theirs.cancel);
                               return theirs.check().error();
                           }};
    early.begin(2);
    std::thread taker{[&] {
        const auto link = early.take(op);
        CHECK(!link);
    }};
    op.cancel().request();
    taker.join();
}

TEST_CASE("one that is being let in when all is over is not broken off") {
    support::TestOp op;
    std::atomic<bool> whole{false};
    {
        std::atomic<bool> begun{false};
        flow::EarlyLinks early{op, [&](const Op& theirs) -> Result<flow::Link> {
                                   begun = true;
                                   theirs.clock.sleep(milliseconds{100}, theirs.cancel);
                                   whole = theirs.check().has_value();
                                   return Error{Code::not_found, "no helper"};
                               }};
        early.begin(2);
        early.let_in();
        while (!begun)
            std::this_thread::yield();
    }
    CHECK(whole);
}

TEST_CASE("none shows a key before the first connection was let in, and none at all when that fails") {
    const bool let_in = GENERATE(true, false);
    support::TestOp op;
    std::atomic<int> waiting{0};
    std::atomic<int> shown{0};
    {
        flow::EarlyLinks early{op, [&](const Op& theirs) -> Result<flow::Link> {
                                   ++waiting;
                                   TRY(early.turn(theirs));
                                   ++shown;
                                   return Error{Code::not_found, "no helper"};
                               }};
        early.begin(5);
        while (waiting < 4)
            std::this_thread::yield();
        CHECK(shown == 0);
        if (let_in) early.let_in();
    }
    CHECK(shown == (let_in ? 4 : 0));
}

namespace {

// A box far away; counts who comes.
class FarConnector final : public flow::Connector {
  public:
    Result<std::unique_ptr<transport::Transport>> to(const Op&, const model::Lease&) override {
        ++made;
        return std::unique_ptr<transport::Transport>{std::make_unique<support::DistantTransport>(
            std::make_unique<transport::LocalTransport>(), milliseconds{40})};
    }
    [[nodiscard]] int most_at_once(const model::Lease&) const override { return 8; }

    std::atomic<int> made{0};
};

struct FarBox {
    support::TestOp op{};
    support::LocalDeps local{op};
    support::TempDir box{};
    support::TempDir here{};
    FarConnector far{};

    FarBox() { local.adopt("b1"); }
    // Connections that were made for it.
    int cp(const std::string& box_path, const std::string& local_path, bool to_box) {
        const flow::Deps& all = local.deps();
        flow::Deps deps{all.ledger, far, all.helpers, all.prompt, all.laptop, all.project, all.settings, false};
        far.made = 0;
        const auto report = flow::cp(op, deps, {"b1", box_path, local_path, to_box, "drawhitch cp A B"});
        REQUIRE(report);
        CHECK(!report->problem);
        return far.made;
    }
};

}  // namespace

TEST_CASE("a copy of weights from a far box begins its connections beside the first, and makes no others") {
    FarBox far;
    support::write_file(far.box / "first.txt", "the helper is installed");
    CHECK(far.cp(far.box / "first.txt", far.here.path(), false) == 1);
    const std::string weights(12'000'000, 'w');
    support::write_file(far.box / "model.pt", weights);
    CHECK(far.cp(far.box / "model.pt", far.here.path(), false) == 3);
    CHECK(support::read_file(far.here / "model.pt") == weights);
    // What is here already brings nothing to begin for.
    CHECK(far.cp(far.box / "model.pt", far.here.path(), false) == 1);
}

TEST_CASE("a copy to a far box begins as many connections as its bytes are worth") {
    FarBox far;
    support::write_file(far.here / "small.txt", "a");
    CHECK(far.cp(far.box / "small.txt", far.here / "small.txt", true) == 1);
    support::write_file(far.here / "large.bin", std::string(6'000'000, 'l'));
    CHECK(far.cp(far.box / "large.bin", far.here / "large.bin", true) == 2);
    CHECK(support::read_file(far.box / "large.bin") == std::string(6'000'000, 'l'));
}
