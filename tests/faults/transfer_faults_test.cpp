// The transfer engine over the built helper: whole, under every failing call of its transport, over moving files.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <mutex>

#include "core/proto/flow_window.hpp"
#include "core/proto/limits.hpp"
#include "io/transport/local.hpp"
#include "support/faulty_transport.hpp"
#include "support/temp_dir.hpp"
#include "support/test_box.hpp"
#include "support/test_op.hpp"
#include "support/transfer_bench.hpp"

using namespace drawhitch;
using flow::FileState;

namespace {

constexpr std::uint64_t k_greetings = 64U << 10U;  // what two connections say beside contents, generously

// A transport for each connection, which counts its own calls; the first two fail at the n-th. Thread-safe.
class FaultyLinks {
  public:
    explicit FaultyLinks(std::size_t n) : fail_at_(n) {}
    transport::Transport& next() {
        const std::lock_guard lock{mutex_};
        made_.push_back(std::make_unique<Link>());
        if (made_.size() <= 2) made_.back()->plan.fail_at = fail_at_;
        return made_.back()->faulty;
    }

  private:
    struct Link {
        transport::LocalTransport local{};
        support::FaultPlan plan{};
        support::FaultyTransport faulty{local, plan};
    };
    std::size_t fail_at_{0};
    std::mutex mutex_{};
    std::vector<std::unique_ptr<Link>> made_{};
};

}  // namespace

TEST_CASE("a pull brings every byte, with the digests of both kinds") {
    support::TempDir box;
    support::TempDir here;
    support::TestOp op;
    const support::Tree tree = support::sample_tree();
    support::plant(box.path(), tree);
    transport::LocalTransport local;
    const auto items = support::items_of(op, box.path());
    const auto outcome = support::pull(op, support::dial_box(local, box.path()), here / "d", items);
    REQUIRE(!outcome.stopped);
    CHECK(support::wrong_file(here / "d", tree, true).empty());
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const std::string& content = tree.at(items[i].target);
        CHECK(outcome.results[i].state == FileState::pulled);
        CHECK(outcome.results[i].sha256 == proto::sha256(content));
        CHECK(outcome.results[i].root == proto::content_digest(content));
        total += content.size();
    }
    CHECK(outcome.tally.fetched == total);
    CHECK(outcome.tally.repeated == 0);
    CHECK(outcome.tally.wire.received < total);  // zeros and text shrink
    CHECK(outcome.tally.wire.connections == 1);
}

TEST_CASE("whichever call of the link fails, a pull reconnects and ends right, repeating little") {
    // On its way when a link dies is the credit of its connection at most, and the chunk that it ends in.
    constexpr std::uint64_t k_at_stake = proto::FlowWindow::k_most + proto::k_encoded_chunk_max;
    support::TempDir box;
    support::Tree tree = support::sample_tree();
    tree["huge.bin"] = support::noise(5 * proto::k_chunk, 3);  // so that all is more than that
    std::uint64_t total = 0;
    for (const auto& [path, content] : tree)
        total += content.size();
    support::plant(box.path(), tree);
    support::HastyClock clock;
    std::uint64_t undisturbed = 0;
    {
        support::TempDir here;
        support::TestOp op{clock};
        transport::LocalTransport local;
        const auto outcome =
            support::pull(op, support::dial_box(local, box.path()), here / "d", support::items_of(op, box.path()));
        REQUIRE(!outcome.stopped);
        undisturbed = outcome.tally.wire.received;
    }
    for (std::size_t n = 1;; ++n) {
        support::TempDir here;
        support::TestOp op{clock};
        transport::LocalTransport local;
        support::FaultPlan plan{n};
        support::FaultyTransport faulty{local, plan};
        const auto outcome =
            support::pull(op, support::dial_box(faulty, box.path()), here / "d", support::items_of(op, box.path()));
        INFO("call " << n);
        CHECK(support::wrong_file(here / "d", tree, !outcome.stopped).empty());
        CHECK(outcome.tally.repeated == 0);  // no chunk that arrived whole comes a second time
        // Only a first connection that cannot be made ends a pull at once.
        if (!outcome.stopped) {
            CHECK(outcome.tally.fetched == total);  // nothing that was proven is fetched again
            CHECK(outcome.tally.wire.received <= undisturbed + k_at_stake * outcome.tally.reconnects + k_greetings);
        } else {
            CHECK(outcome.tally.fetched == 0);
            auto again =
                support::pull(op, support::dial_box(local, box.path()), here / "d", support::items_of(op, box.path()));
            REQUIRE(!again.stopped);
            CHECK(support::wrong_file(here / "d", tree, true).empty());
        }
        if (!plan.fired) break;
    }
}

TEST_CASE("a link that stays dead ends the pull, and the next one resumes") {
    support::TempDir box;
    const support::Tree tree = support::sample_tree();
    support::plant(box.path(), tree);
    support::HastyClock clock;
    std::size_t resumed_rounds = 0;
    for (std::size_t n = 5;; n += 11) {
        support::TempDir here;
        support::TestOp op{clock};
        transport::LocalTransport local;
        support::FaultPlan plan{n, true};
        support::FaultyTransport faulty{local, plan};
        const auto first =
            support::pull(op, support::dial_box(faulty, box.path()), here / "d", support::items_of(op, box.path()));
        // The link may die when everything has arrived already.
        CHECK(support::wrong_file(here / "d", tree, !first.stopped).empty());
        if (!plan.fired) break;
        if (!first.stopped) continue;
        CHECK(first.stopped->code == Code::link_lost);
        const auto second =
            support::pull(op, support::dial_box(local, box.path()), here / "d", support::items_of(op, box.path()));
        REQUIRE(!second.stopped);
        CHECK(support::wrong_file(here / "d", tree, true).empty());
        if (second.tally.resumed > 0) ++resumed_rounds;
    }
    CHECK(resumed_rounds > 0);
}

TEST_CASE("a push puts every byte in place") {
    support::TempDir here;
    support::TempDir box;
    support::TestOp op;
    const support::Tree tree = support::sample_tree();
    support::plant(here.path(), tree);
    transport::LocalTransport local;
    flow::Fence fence{support::some_push()};
    const auto outcome = support::push(op, support::dial_box(local, box / "root", &fence), fence, here.path(), tree);
    REQUIRE(outcome.complete());
    CHECK(support::wrong_file(box / "root/tree", tree, true).empty());
    CHECK(outcome.tally.repeated == 0);
}

TEST_CASE("whichever call of the link fails, a push reconnects and ends right") {
    support::TempDir here;
    const support::Tree tree = support::sample_tree();
    std::uint64_t total = 0;
    for (const auto& [path, content] : tree)
        total += content.size();
    support::plant(here.path(), tree);
    support::HastyClock clock;
    for (std::size_t n = 1;; ++n) {
        support::TempDir box;
        support::TestOp op{clock};
        transport::LocalTransport local;
        support::FaultPlan plan{n};
        support::FaultyTransport faulty{local, plan};
        flow::Fence fence{support::some_push()};
        const auto outcome =
            support::push(op, support::dial_box(faulty, box / "root", &fence), fence, here.path(), tree);
        INFO("call " << n);
        CHECK(support::wrong_file(box / "root/tree", tree, outcome.complete()).empty());
        // A file that is in place, though nobody heard so, is found there and not sent again.
        CHECK(outcome.tally.sent <= total);
        if (!outcome.complete()) {
            CHECK(outcome.tally.sent == 0);
            flow::Fence next{support::some_push()};
            const flow::Dial dial = support::dial_box(local, box / "root", &next);
            REQUIRE(support::push(op, dial, next, here.path(), tree).complete());
            CHECK(support::wrong_file(box / "root/tree", tree, true).empty());
        }
        if (!plan.fired) break;
    }
}

TEST_CASE("a local file that changes while it is pushed is named and not sent as something it was not") {
    support::TempDir here;
    support::TempDir box;
    support::TestOp op;
    const support::Tree tree = support::sample_tree();
    support::plant(here.path(), tree);
    support::write_file(here / "big.bin", support::noise(3 * proto::k_chunk + 4321, 2));
    support::write_file(here / "small/f7", "another");
    ::unlink((here / "small/f8").c_str());
    transport::LocalTransport local;
    flow::Fence fence{support::some_push()};
    auto outcome = support::push(op, support::dial_box(local, box / "root", &fence), fence, here.path(), tree);
    CHECK(!outcome.stopped);
    std::sort(outcome.changed.begin(), outcome.changed.end());
    CHECK(outcome.changed == std::vector<std::string>{"big.bin", "small/f7", "small/f8"});
    CHECK(support::wrong_file(box / "root/tree", tree, false).empty());
}

TEST_CASE("a further connection that is refused, for whatever reason, ends no pull", "[threads]") {
    support::TempDir box;
    support::TempDir here;
    const support::Tree tree = support::sample_tree();
    support::plant(box.path(), tree);
    support::HastyClock clock;
    support::TestOp op{clock};
    transport::LocalTransport local;
    std::atomic<int> dialled{0};
    std::atomic<int> refused{0};
    // The first connection comes when the others have been turned away for good.
    const flow::Dial dial = [&](const Op& each) -> Result<flow::Link> {
        if (dialled++ > 0) {
            ++refused;
            return Error{Code::auth, "the key is not accepted"};
        }
        while (refused < 2)
            TRY(each.check());
        return support::dial_box(local, box.path())(each);
    };
    const auto outcome = support::pull(op, dial, here / "d", support::items_of(op, box.path()), 3);
    CHECK(!outcome.stopped);
    CHECK(support::wrong_file(here / "d", tree, true).empty());
}

TEST_CASE("several connections serve one queue, and the loss of some holds up nothing", "[threads]") {
    support::TempDir box;
    support::Tree tree = support::sample_tree();
    for (int i = 0; i < 6; ++i)
        tree["more/" + std::to_string(i)] = support::noise(2'500'000, 70U + static_cast<unsigned>(i));
    support::plant(box.path(), tree);
    support::HastyClock clock;
    for (const std::size_t n : {0U, 12U, 30U, 60U}) {
        support::TempDir here;
        support::TestOp op{clock};
        FaultyLinks links{n};
        const flow::Dial dial = [&](const Op& each) { return support::dial_box(links.next(), box.path())(each); };
        const auto outcome = support::pull(op, dial, here / "d", support::items_of(op, box.path()), 4);
        INFO("call " << n);
        REQUIRE(!outcome.stopped);
        CHECK(support::wrong_file(here / "d", tree, true).empty());
        CHECK(outcome.tally.wire.connections >= 2);
    }
}

TEST_CASE("several connections push from one queue, and the loss of some neither loses nor repeats a file",
          "[threads]") {
    support::TempDir here;
    support::Tree tree = support::sample_tree();
    for (int i = 0; i < 6; ++i)
        tree["more/" + std::to_string(i)] = support::noise(2'500'000, 70U + static_cast<unsigned>(i));
    // Of one content, and each has a part of its own all the same.
    for (const char* name : {"same/a", "same/b", "same/c"})
        tree[name] = support::noise(7'500'000, 90U);
    support::plant(here.path(), tree);
    support::HastyClock clock;
    for (const std::size_t n : {0U, 12U, 30U, 45U, 60U, 90U}) {
        support::TempDir box;
        support::TestOp op{clock};
        FaultyLinks links{n};
        flow::Fence fence{support::some_push()};
        const flow::Dial dial = [&](const Op& each) {
            return support::dial_box(links.next(), box / "root", &fence)(each);
        };
        const auto outcome = support::push(op, dial, fence, here.path(), tree, 4);
        INFO("call " << n);
        REQUIRE(outcome.complete());
        CHECK(support::wrong_file(box / "root/tree", tree, true).empty());
        CHECK(outcome.tally.wire.connections >= 2);
        // What it hands back works under the claim that is in force.
        REQUIRE(outcome.link);
        CHECK(outcome.link->agent->remove(op, *outcome.link->claim, "tree/more/0", false));
        CHECK(::rmdir((box / "root/.drawhitch/parts").c_str()) == 0);  // nothing is left in it
    }
}
