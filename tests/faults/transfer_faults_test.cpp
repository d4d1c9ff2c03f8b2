// The transfer engine over the built helper: whole, under every failing call of its transport, over moving files.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <random>

#include "core/proto/limits.hpp"
#include "flow/transfer/pull_files.hpp"
#include "flow/transfer/push_files.hpp"
#include "io/disk/tree_walk.hpp"
#include "io/transport/local.hpp"
#include "support/faulty_transport.hpp"
#include "support/temp_dir.hpp"
#include "support/test_box.hpp"
#include "support/test_op.hpp"

using namespace drawhitch;
using flow::FileState;

namespace {

// Never waits, so that back-off costs a test nothing.
class HastyClock final : public Clock {
  public:
    Instant now() const override { return system_clock().now(); }
    WallTime wall() const override { return system_clock().wall(); }
    void sleep(milliseconds, const Cancel&) override {}
};

std::string noise(std::size_t size, unsigned seed) {
    std::mt19937 random{seed};
    std::string bytes(size, '\0');
    for (char& c : bytes)
        c = static_cast<char>(random());
    return bytes;
}

using Tree = std::map<std::string, std::string>;

Tree sample_tree() {
    Tree tree;
    tree["big.bin"] = noise(3 * proto::k_chunk + 4321, 1);
    tree["dir/zeros.bin"] = std::string(2 * proto::k_chunk, '\0');
    tree["dir/text.log"] = std::string(900'000, 'l');
    tree["empty"] = "";
    tree["dir/new\nline \xff"] = "odd";
    for (int i = 0; i < 40; ++i)
        tree["small/f" + std::to_string(i)] = noise(static_cast<std::size_t>(i * 97), 100U + static_cast<unsigned>(i));
    return tree;
}

void plant(const std::string& root, const Tree& tree) {
    for (const auto& [path, content] : tree) {
        for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1))
            ::mkdir((root + "/" + path.substr(0, slash)).c_str(), 0755);
        support::write_file(root + "/" + path, content);
    }
    // Long ago, so that nothing is in doubt for its age.
    for (const auto& [path, content] : tree) {
        const struct timespec times[2] = {{1'600'000'000, 1}, {1'600'000'000, 1}};
        REQUIRE(::utimensat(AT_FDCWD, (root + "/" + path).c_str(), times, 0) == 0);
    }
}

std::vector<flow::PullItem> items_of(const Op& op, const std::string& root) {
    std::vector<flow::PullItem> items;
    auto opened = disk::Root::open(root);
    REQUIRE(opened);
    disk::WalkCallbacks callbacks{};
    callbacks.entry = [&](const proto::FileEntry& entry) {
        if (entry.type == proto::FileType::file) items.push_back({entry, entry.path, false, false});
        return ok();
    };
    REQUIRE(disk::walk(op, *opened, callbacks));
    return items;
}

flow::PullOutcome pull(const Op& op, const flow::Dial& dial, const std::string& to, std::vector<flow::PullItem> items) {
    auto root = disk::Root::create(to);
    REQUIRE(root);
    auto landing = disk::Landing::open(std::move(root).value(), "pull");
    REQUIRE(landing);
    flow::PullOutcome outcome = flow::pull_files(op, dial, std::nullopt, **landing, std::move(items), {});
    bool all = !outcome.stopped;
    for (const auto& result : outcome.results)
        all = all && result.state == FileState::pulled;
    if (all) REQUIRE((*landing)->discard());
    return outcome;
}

void check_no_wrong_file(const std::string& root, const Tree& tree, bool complete) {
    for (const auto& [path, content] : tree) {
        struct stat found {};
        if (::lstat((root + "/" + path).c_str(), &found) != 0) {
            INFO(path << " is missing");
            REQUIRE(!complete);
            continue;
        }
        const bool same = support::read_file(root + "/" + path) == content;
        INFO(path);
        REQUIRE(same);
    }
}

std::vector<flow::PushItem> push_items(const Tree& tree) {
    std::vector<flow::PushItem> items;
    for (const auto& [path, content] : tree) {
        proto::FileDigester digester;
        digester.update(content);
        const auto digests = digester.finish();
        items.push_back(
            {path, "tree/" + path, content.size(), 0644, 1'600'000'000'000'000'000, digests.root, digests.leaves});
    }
    return items;
}

flow::PushOutcome push(const Op& op, const flow::Dial& dial, const std::string& from, const Tree& tree) {
    auto root = disk::Root::open(from);
    REQUIRE(root);
    return flow::push_files(op, dial, std::nullopt, flow::pieces_of(*root), push_items(tree), {});
}

}  // namespace

TEST_CASE("a pull brings every byte, with the digests of both kinds") {
    support::TempDir box;
    support::TempDir here;
    support::TestOp op;
    const Tree tree = sample_tree();
    plant(box.path(), tree);
    transport::LocalTransport local;
    const auto items = items_of(op, box.path());
    const auto outcome = pull(op, support::dial_box(local, box.path(), false), here / "d", items);
    REQUIRE(!outcome.stopped);
    check_no_wrong_file(here / "d", tree, true);
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
    support::TempDir box;
    const Tree tree = sample_tree();
    plant(box.path(), tree);
    HastyClock clock;
    for (std::size_t n = 1;; ++n) {
        support::TempDir here;
        support::TestOp op{clock};
        transport::LocalTransport local;
        support::FaultPlan plan{n};
        support::FaultyTransport faulty{local, plan};
        const auto outcome =
            pull(op, support::dial_box(faulty, box.path(), false), here / "d", items_of(op, box.path()));
        INFO("call " << n);
        check_no_wrong_file(here / "d", tree, !outcome.stopped);
        // Only a first connection that cannot be made ends a pull at once.
        if (outcome.stopped) {
            CHECK(outcome.tally.fetched == 0);
            auto again = pull(op, support::dial_box(local, box.path(), false), here / "d", items_of(op, box.path()));
            REQUIRE(!again.stopped);
            check_no_wrong_file(here / "d", tree, true);
        }
        if (!plan.fired) break;
    }
}

TEST_CASE("a link that stays dead ends the pull, and the next one resumes") {
    support::TempDir box;
    const Tree tree = sample_tree();
    plant(box.path(), tree);
    HastyClock clock;
    std::size_t resumed_rounds = 0;
    for (std::size_t n = 5;; n += 11) {
        support::TempDir here;
        support::TestOp op{clock};
        transport::LocalTransport local;
        support::FaultPlan plan{n, true};
        support::FaultyTransport faulty{local, plan};
        const auto first = pull(op, support::dial_box(faulty, box.path(), false), here / "d", items_of(op, box.path()));
        // The link may die when everything has arrived already.
        check_no_wrong_file(here / "d", tree, !first.stopped);
        if (!plan.fired) break;
        if (!first.stopped) continue;
        CHECK(first.stopped->code == Code::link_lost);
        const auto second = pull(op, support::dial_box(local, box.path(), false), here / "d", items_of(op, box.path()));
        REQUIRE(!second.stopped);
        check_no_wrong_file(here / "d", tree, true);
        if (second.tally.resumed > 0) ++resumed_rounds;
    }
    CHECK(resumed_rounds > 0);
}

TEST_CASE("a push puts every byte in place") {
    support::TempDir here;
    support::TempDir box;
    support::TestOp op;
    const Tree tree = sample_tree();
    plant(here.path(), tree);
    transport::LocalTransport local;
    const auto outcome = push(op, support::dial_box(local, box / "root", true), here.path(), tree);
    REQUIRE(outcome.complete());
    check_no_wrong_file(box / "root/tree", tree, true);
    CHECK(outcome.tally.repeated == 0);
}

TEST_CASE("whichever call of the link fails, a push reconnects and ends right") {
    support::TempDir here;
    const Tree tree = sample_tree();
    plant(here.path(), tree);
    HastyClock clock;
    for (std::size_t n = 1;; ++n) {
        support::TempDir box;
        support::TestOp op{clock};
        transport::LocalTransport local;
        support::FaultPlan plan{n};
        support::FaultyTransport faulty{local, plan};
        const auto outcome = push(op, support::dial_box(faulty, box / "root", true), here.path(), tree);
        INFO("call " << n);
        check_no_wrong_file(box / "root/tree", tree, outcome.complete());
        if (!outcome.complete()) {
            CHECK(outcome.tally.sent == 0);
            REQUIRE(push(op, support::dial_box(local, box / "root", true), here.path(), tree).complete());
            check_no_wrong_file(box / "root/tree", tree, true);
        }
        if (!plan.fired) break;
    }
}

TEST_CASE("a local file that changes while it is pushed is named and not sent as something it was not") {
    support::TempDir here;
    support::TempDir box;
    support::TestOp op;
    const Tree tree = sample_tree();
    plant(here.path(), tree);
    support::write_file(here / "big.bin", noise(3 * proto::k_chunk + 4321, 2));
    support::write_file(here / "small/f7", "another");
    ::unlink((here / "small/f8").c_str());
    transport::LocalTransport local;
    auto outcome = push(op, support::dial_box(local, box / "root", true), here.path(), tree);
    CHECK(!outcome.stopped);
    std::sort(outcome.changed.begin(), outcome.changed.end());
    CHECK(outcome.changed == std::vector<std::string>{"big.bin", "small/f7", "small/f8"});
    check_no_wrong_file(box / "root/tree", tree, false);
}
