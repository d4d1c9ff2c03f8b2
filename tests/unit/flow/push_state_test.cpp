#include "flow/transfer/push_state.hpp"

#include <catch2/catch_test_macros.hpp>

#include "support/test_op.hpp"

using namespace drawhitch;
using flow::PushWork;

namespace {

constexpr std::int64_t k_second = 1'000'000'000;
constexpr std::uint64_t k_chunks = 8;

// One large file, and three connections of which the first has begun on it.
struct Stage {
    support::TestOp op{};
    std::vector<flow::PushItem> items{};
    flow::PushState state;
    flow::Fence fence{agent::ClaimOptions{"me", 0, false, {}}};
    agent::Claim claim{};
    flow::Seat quiet{};
    flow::Seat mine{};
    Instant now = Instant{std::chrono::nanoseconds{100 * k_second}};

    Stage() : items(one_file()), state(op, items) {
        claim = *fence.claim(op, [](const agent::ClaimOptions&) -> Result<agent::Claim> {
            return agent::Claim{0, 1, true};
        });
        quiet.linked = mine.linked = true;
        quiet.waits = true;
        mine.heard = 100 * k_second;
        quiet.heard = 97 * k_second - 1;
    }
    static std::vector<flow::PushItem> one_file() {
        flow::PushItem item{};
        item.source = item.target = "model.pt";
        item.size = k_chunks * proto::k_chunk;
        item.leaves.assign(k_chunks, proto::Digest{});
        return {item};
    }
    PushWork take(const flow::Seat& seat) {
        const auto work = state.take(seat);
        REQUIRE(work);
        REQUIRE(*work);
        return **work;
    }
    bool has_work() {
        const auto work = state.take(mine);
        REQUIRE(work);
        return work->has_value();
    }
};

}  // namespace

TEST_CASE("the work of a connection that has been silent for three seconds is another's, once its helper is fenced") {
    Stage stage;
    const PushWork probe = stage.take(stage.quiet);
    REQUIRE(probe.kind == PushWork::Kind::probe);
    REQUIRE(!stage.has_work());
    CHECK(!stage.fence.outdated(stage.claim));
    REQUIRE(stage.state.take_from_silent(stage.mine, stage.now, stage.fence));
    CHECK(stage.fence.outdated(stage.claim));
    const PushWork again = stage.take(stage.mine);
    CHECK(again.kind == PushWork::Kind::probe);
    CHECK(again.ticket != probe.ticket);
    SECTION("and what it still says counts no more") {
        // It would say that every chunk is there.
        stage.state.probed(probe.ticket, std::vector<proto::Digest>(k_chunks, proto::Digest{}));
        CHECK(!stage.has_work());
        stage.state.probed(again.ticket, {});
        CHECK(stage.take(stage.mine).kind == PushWork::Kind::span);
    }
    SECTION("and what was acknowledged before is not sent again") {
        stage.state.probed(again.ticket, {});
        stage.mine.waits = true;
        stage.mine.heard = 100 * k_second;
        const PushWork span = stage.take(stage.mine);
        REQUIRE(span.chunks.size() > 1);
        stage.state.chunk_acked(span.ticket, span.chunks.front());
        std::size_t others = 0;
        while (true) {
            const auto rest = stage.state.take(stage.quiet);
            REQUIRE(rest);
            if (!*rest) break;
            others += (*rest)->chunks.size();
        }
        stage.quiet.heard = 106 * k_second;
        REQUIRE(
            stage.state.take_from_silent(stage.quiet, Instant{std::chrono::nanoseconds{106 * k_second}}, stage.fence));
        std::size_t owed = 0;
        while (true) {
            const auto rest = stage.state.take(stage.quiet);
            REQUIRE(rest);
            if (!*rest) break;
            for (const std::uint32_t chunk : (*rest)->chunks)
                CHECK(chunk != span.chunks.front());
            owed += (*rest)->chunks.size();
        }
        CHECK(owed == span.chunks.size() - 1);
        CHECK(owed + others + 1 == k_chunks);
    }
}

TEST_CASE("no work is taken from a connection that") {
    Stage stage;
    const PushWork probe = stage.take(stage.quiet);
    SECTION("was heard within three seconds") {
        stage.quiet.heard = 97 * k_second;
    }
    SECTION("waits for no answer") {
        stage.quiet.waits = false;
    }
    SECTION("has no link: it gives its work back itself") {
        stage.quiet.heard = 0;
    }
    SECTION("is the one that asks") {
        CHECK(!stage.state.take_from_silent(stage.quiet, stage.now, stage.fence));
        return;
    }
    SECTION("has work while other work is ready") {
        stage.quiet.waits = true;
        stage.state.probed(probe.ticket, {});
        stage.take(stage.quiet);
    }
    CHECK(!stage.state.take_from_silent(stage.mine, stage.now, stage.fence));
    CHECK(!stage.fence.outdated(stage.claim));
}
