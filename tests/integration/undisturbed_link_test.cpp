// Nothing goes wrong, and so nothing may be told, repeated or connected anew: resumption hides faults of our own, and
// only counting shows them.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "io/transport/ssh.hpp"
#include "support/private_sshd.hpp"
#include "support/temp_dir.hpp"
#include "support/test_box.hpp"
#include "support/test_op.hpp"
#include "support/transfer_bench.hpp"

using namespace drawhitch;

namespace {

struct Bench {
    support::PrivateSshd server{};
    transport::PinnedKeys pins{server.host_keys()};
    support::TestOp op{system_clock(), milliseconds{600'000}};

    flow::Dial dial(const std::string& root, flow::Fence* fence = nullptr) {
        return support::dial_box_with(
            [this] {
                return std::make_unique<transport::SshTransport>(server.target(server.port()),
                                                                 transport::SshTrust{pins});
            },
            root, fence);
    }
};

// Long enough for a fault that meets one step in a hundred.
support::Tree large_tree() {
    support::Tree tree;
    tree["large.bin"] = support::noise(160'000'000, 1);
    for (int i = 0; i < 2000; ++i)
        tree["small/" + std::to_string(i)] = support::noise(5'000, 10U + static_cast<unsigned>(i));
    return tree;
}

}  // namespace

TEST_CASE("a pull over a sound path connects once and fetches every byte once") {
    const support::Tree tree = large_tree();
    support::TempDir box;
    support::plant(box.path(), tree);
    Bench bench;
    for (const int connections : {1, 3}) {
        support::TempDir here;
        const auto items = support::items_of(bench.op, box.path());
        const auto outcome = support::pull(bench.op, bench.dial(box.path()), here / "d", items, connections);
        REQUIRE(!outcome.stopped);
        CHECK(support::wrong_file(here / "d", tree, true).empty());
        CHECK(outcome.tally.reconnects == 0);
        // Several may ask again, in the end, for what one of them is slow to bring.
        CHECK(outcome.tally.repeated <= (connections == 1 ? 0 : 3U * 4U * proto::k_chunk));
        CHECK(outcome.tally.wrong_chunks == 0);
    }
}

TEST_CASE("a push over a sound path loses no connection and sends every byte once") {
    const support::Tree tree = large_tree();
    support::TempDir here;
    support::plant(here.path(), tree);
    Bench bench;
    const int connections = GENERATE(1, 3);
    support::TempDir box;
    flow::Fence fence{support::some_push()};
    const auto outcome =
        support::push(bench.op, bench.dial(box / "root", &fence), fence, here.path(), tree, connections);
    REQUIRE(outcome.complete());
    CHECK(support::wrong_file(box / "root/tree", tree, true).empty());
    CHECK(outcome.tally.reconnects == 0);
    CHECK(outcome.tally.repeated == 0);
}
