#include "flow/transfer/early_links.hpp"

#include <signal.h>

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fstream>
#include <thread>

#include "flow/box.hpp"
#include "flow/cp.hpp"
#include "io/transport/local.hpp"
#include "support/distant_transport.hpp"
#include "support/finished_run.hpp"
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

    // Lost is what happened a while ago, to all of them perhaps: the taker's own may do.
    flow::EarlyLinks other{op, failing(GENERATE(Code::not_found, Code::link_lost, Code::stalled))};
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
    Result<std::unique_ptr<transport::Transport>> to(const Op& op, const model::Lease&) override {
        const bool first = made++ == 0;
        const auto wait = [this, &clock = op.clock] {
            const Instant latest = clock.now() + milliseconds{10'000};
            while (made < expected && clock.now() < latest)
                std::this_thread::yield();
            before_login = made.load();
        };
        return std::unique_ptr<transport::Transport>{
            std::make_unique<support::DistantTransport>(std::make_unique<transport::LocalTransport>(), milliseconds{40},
                                                        first ? std::function<void()>{wait} : std::function<void()>{})};
    }
    [[nodiscard]] int most_at_once(const model::Lease&) const override { return 8; }
    // The first one is let in once so many are there, or after ten seconds.
    void expect(int count) {
        made = 0;
        expected = count;
    }

    std::atomic<int> made{0};
    std::atomic<int> expected{0};
    std::atomic<int> before_login{0};  // how many were there when the first one was let in
};

struct FarBox {
    support::TestOp op{};
    support::LocalDeps local{op};
    support::TempDir box{};
    support::TempDir here{};
    FarConnector far{};

    FarBox() { local.adopt("b1"); }
    // How many connections are made for it, all of them before the first one is let in.
    void check_cp(int connections, const std::string& box_path, const std::string& local_path, bool to_box) {
        const flow::Deps& all = local.deps();
        flow::Deps deps{all.ledger, far, all.helpers, all.prompt, all.laptop, all.project, all.settings, false};
        far.expect(connections);
        const auto report = flow::cp(op, deps, {"b1", box_path, local_path, to_box, "drawhitch cp A B"});
        REQUIRE(report);
        CHECK(!report->problem);
        CHECK(far.before_login == connections);
        CHECK(far.made == connections);
    }
};

}  // namespace

TEST_CASE("a copy of weights from a far box begins its connections beside the first, and makes no others") {
    FarBox far;
    support::write_file(far.box / "first.txt", "the helper is installed");
    far.check_cp(1, far.box / "first.txt", far.here.path(), false);
    const std::string weights(12'000'000, 'w');
    support::write_file(far.box / "model.pt", weights);
    far.check_cp(3, far.box / "model.pt", far.here.path(), false);
    CHECK(support::read_file(far.here / "model.pt") == weights);
    // What is here already brings nothing to begin for.
    far.check_cp(1, far.box / "model.pt", far.here.path(), false);
}

TEST_CASE("a copy to a far box begins as many connections as its bytes are worth") {
    FarBox far;
    support::write_file(far.here / "small.txt", "a");
    far.check_cp(1, far.box / "small.txt", far.here / "small.txt", true);
    support::write_file(far.here / "large.bin", std::string(6'000'000, 'l'));
    far.check_cp(2, far.box / "large.bin", far.here / "large.bin", true);
    CHECK(support::read_file(far.box / "large.bin") == std::string(6'000'000, 'l'));
}

TEST_CASE("the first pull of a run from a far box begins its connections beside the first, a later one does not") {
    support::FinishedRun bench;
    FarConnector far;
    const flow::Deps& all = bench.local.deps();
    flow::Deps deps{all.ledger, far, all.helpers, all.prompt, all.laptop, all.project, all.settings, false};
    const std::string weights(12'000'000, 'w');
    bench.put("out/model.bin", weights);
    bench.claim({{"out/**", model::RosterClass::must}});
    const auto check_pull = [&](int early, int connections) {
        far.expect(early);
        flow::PullOptions options{};
        options.box = "b1";
        const auto report = flow::pull(bench.op, deps, options);
        REQUIRE(report);
        CHECK(!report->problem);
        CHECK(far.before_login == early);
        CHECK(far.made == connections);
    };
    SECTION("where the helper is known to be") {
        REQUIRE(flow::Box::connect(bench.op, deps, bench.lease));
        check_pull(3, 3);
        CHECK(support::read_file(bench.there() + "/out/model.bin") == weights);
        check_pull(1, 1);
    }
    SECTION("and where it is not, none begins before it is there: they would all install it") {
        check_pull(1, 3);
        CHECK(support::read_file(bench.there() + "/out/model.bin") == weights);
    }
}
