#include "flow/transfer/fence.hpp"

#include <catch2/catch_test_macros.hpp>
#include <thread>
#include <vector>

#include "support/test_op.hpp"

using namespace drawhitch;

namespace {

// What the epoch file of a root does, as docs/protocol.md says.
struct Root {
    std::uint64_t epoch{0};
    std::string owner{};
    std::vector<std::uint64_t> asked{};

    Result<agent::Claim> claim(const agent::ClaimOptions& wish) {
        asked.push_back(wish.epoch);
        if (wish.epoch == 0) {
            ++epoch;
            owner = wish.owner;
        } else if (wish.epoch != epoch || wish.owner != owner) {
            return Error{Code::locked, "a later transfer took over"};
        }
        return agent::Claim{0, epoch, true};
    }
    flow::Fence::Ask ask() {
        return [this](const agent::ClaimOptions& wish) { return claim(wish); };
    }
};

agent::ClaimOptions push_of(std::string owner) {
    return {std::move(owner), 0, false, {}};
}

}  // namespace

TEST_CASE("the first connection of a push raises the epoch, the others join it") {
    support::TestOp op;
    Root root{7, "somebody"};
    flow::Fence fence{push_of("me")};
    const auto first = fence.claim(op, root.ask());
    const auto second = fence.claim(op, root.ask());
    REQUIRE(first);
    REQUIRE(second);
    CHECK(first->epoch == 8);
    CHECK(second->epoch == 8);
    CHECK(root.asked == std::vector<std::uint64_t>{0, 8});
}

TEST_CASE("after a loss the next claim fences what was lost, and those that live join it") {
    support::TestOp op;
    Root root{};
    flow::Fence fence{push_of("me")};
    const agent::Claim lives = *fence.claim(op, root.ask());
    fence.lost();
    const auto replacement = fence.claim(op, root.ask());
    REQUIRE(replacement);
    CHECK(replacement->epoch == lives.epoch + 1);
    const auto again = fence.claim_again(op, lives, root.ask());
    REQUIRE(again);
    REQUIRE(*again);
    CHECK((*again)->epoch == replacement->epoch);
    CHECK(root.asked == std::vector<std::uint64_t>{0, 0, 2});
}

TEST_CASE("another push's fence is final") {
    support::TestOp op;
    Root root{};
    flow::Fence mine{push_of("me")};
    const agent::Claim old = *mine.claim(op, root.ask());
    flow::Fence other{push_of("you")};
    REQUIRE(other.claim(op, root.ask()));
    const auto again = mine.claim_again(op, old, root.ask());
    REQUIRE(again);
    CHECK(!*again);
    const auto further = mine.claim(op, root.ask());
    REQUIRE(!further);
    CHECK(further.error().code == Code::locked);
}

TEST_CASE("a raise that failed is left to the next connection") {
    support::TestOp op;
    Root root{};
    flow::Fence fence{push_of("me")};
    const auto cut = fence.claim(op, [](const agent::ClaimOptions&) -> Result<agent::Claim> {
        return Error{Code::link_lost, "cut"};
    });
    REQUIRE(!cut);
    REQUIRE(fence.claim(op, root.ask()));
    CHECK(root.asked == std::vector<std::uint64_t>{0});
}

TEST_CASE("a loss while another connection raises is not forgotten") {
    support::TestOp op;
    Root root{};
    flow::Fence fence{push_of("me")};
    const auto first = fence.claim(op, [&](const agent::ClaimOptions& wish) {
        auto claim = root.claim(wish);
        fence.lost();
        return claim;
    });
    REQUIRE(first);
    REQUIRE(fence.claim(op, root.ask()));
    CHECK(root.asked == std::vector<std::uint64_t>{0, 0});
}

TEST_CASE("one that waits for another's raise joins it, and can be cancelled") {
    support::TestOp op;
    Root root{};
    flow::Fence fence{push_of("me")};
    Result<agent::Claim> joined = Error{Code::internal, "not asked"};
    Result<agent::Claim> cancelled = Error{Code::internal, "not asked"};
    const auto first = fence.claim(op, [&](const agent::ClaimOptions& wish) {
        Cancel cancel;
        cancel.request();
        const Op patient = op;
        const Op impatient{cancel, patient.clock, patient.events};
        cancelled = fence.claim(impatient, root.ask());
        return root.claim(wish);
    });
    joined = fence.claim(op, root.ask());
    REQUIRE(first);
    REQUIRE(joined);
    CHECK(joined->epoch == first->epoch);
    REQUIRE(!cancelled);
    CHECK(cancelled.error().code == Code::cancelled);
}
