// A path that falls silent in the middle of a transfer (no reset, no answer) and comes back after the work was finished
// over another one: the transfer goes on by itself, and what the old path still holds is never written.
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <filesystem>

#include "io/transport/ssh.hpp"
#include "support/private_sshd.hpp"
#include "support/proxy.hpp"
#include "support/temp_dir.hpp"
#include "support/test_box.hpp"
#include "support/test_op.hpp"
#include "support/transfer_bench.hpp"

using namespace drawhitch;

namespace {

// A server behind a proxy, and connections that give a silent path up after three seconds.
struct Bench {
    support::PrivateSshd server{};
    support::Proxy proxy{server.port(), 1 << 16};
    transport::PinnedKeys pins{server.host_keys()};
    support::HastyClock clock{};
    support::TestOp op{clock};

    flow::Dial dial(const std::string& root, flow::Fence* fence = nullptr) {
        return support::dial_box_with(
            [this] {
                transport::SshTarget target = server.target(proxy.port());
                target.limits.stall = milliseconds{3000};
                return std::make_unique<transport::SshTransport>(target, transport::SshTrust{pins});
            },
            root, fence);
    }
    // Until nothing is left of any connection: what was held is delivered, and who received it is gone.
    void await_silence() {
        for (int i = 0; i < 6000 && proxy.alive() > 0; ++i)
            ::poll(nullptr, 0, 10);
        REQUIRE(proxy.alive() == 0);
    }
};

support::Tree incompressible_tree() {
    support::Tree tree;
    tree["a.bin"] = support::noise(5'000'000, 1);
    tree["b.bin"] = support::noise(3'000'000, 2);
    for (int i = 0; i < 300; ++i)
        tree["small/" + std::to_string(i)] = support::noise(9'000, 10U + static_cast<unsigned>(i));
    return tree;
}

}  // namespace

TEST_CASE("a pull whose path falls silent goes on over a new one") {
    const support::Tree tree = incompressible_tree();
    support::TempDir box;
    support::plant(box.path(), tree);
    for (const std::uint64_t bytes : {400'000U, 6'000'000U}) {
        Bench bench;
        support::TempDir here;
        const auto items = support::items_of(bench.op, box.path());
        bench.proxy.silence_after(bytes);
        const auto outcome = support::pull(bench.op, bench.dial(box.path()), here / "d", items);
        INFO("silent after " << bytes << (outcome.stopped ? ": " + outcome.stopped->message : std::string{}));
        REQUIRE(!outcome.stopped);
        CHECK(support::wrong_file(here / "d", tree, true).empty());
        CHECK(outcome.tally.reconnects >= 1);
        // The credit and one chunk, at most, came twice.
        CHECK(bench.proxy.from_server() < 10'900'000 + outcome.tally.reconnects * ((4U << 20U) + 500'000));
        CHECK(bench.proxy.alive() > 0);
        bench.proxy.unsilence();
        bench.await_silence();
        CHECK(support::wrong_file(here / "d", tree, true).empty());
    }
}

TEST_CASE("a push whose path falls silent goes on over a new one, and the old one never writes late") {
    const support::Tree tree = incompressible_tree();
    support::TempDir here;
    support::plant(here.path(), tree);
    const int connections = GENERATE(1, 3);
    for (const std::uint64_t bytes : {400'000U, 6'000'000U, 9'500'000U}) {
        Bench bench;
        support::TempDir box;
        bench.proxy.silence_after(bytes);
        flow::Fence fence{support::some_push()};
        auto outcome = support::push(bench.op, bench.dial(box / "root", &fence), fence, here.path(), tree, connections);
        INFO("silent after " << bytes << ", connections: " << connections);
        REQUIRE(outcome.complete());
        if (connections == 1) CHECK(outcome.tally.reconnects >= 1);
        CHECK(support::wrong_file(box / "root/tree", tree, true).empty());
        // The work is done and the files are somebody else's now. The old path still holds chunks and bundles of them.
        support::Tree later = tree;
        for (auto& [path, content] : later) {
            content = "later " + path;
            ::unlink((box / "root/tree/" + path).c_str());
            support::write_file(box / "root/tree/" + path, content);
        }
        CHECK(bench.proxy.alive() > 0);
        outcome.link.reset();
        bench.proxy.unsilence();
        bench.await_silence();
        CHECK(support::wrong_file(box / "root/tree", later, true).empty());
        CHECK(std::filesystem::is_empty(box / "root/.drawhitch/parts"));
    }
}
