#include "flow/box.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <filesystem>

#include "base/random.hpp"
#include "support/local_deps.hpp"
#include "support/temp_dir.hpp"
#include "support/test_op.hpp"

using namespace drawhitch;

namespace {

agent::ClaimOptions somebody() {
    agent::ClaimOptions options;
    options.owner = random_bytes(16);
    return options;
}

}  // namespace

TEST_CASE("a first claim leaves the lease's mark under the root, and the ledger learns about the box") {
    support::TestOp op;
    support::LocalDeps local{op};
    const model::Lease lease = local.adopt("b1");
    {
        auto box = flow::Box::connect(op, local.deps(), lease);
        REQUIRE(box);
        CHECK(box->open_root(op, false).error().code == Code::not_found);
        REQUIRE(box->claim_root(op, true, somebody()));
    }
    CHECK(support::read_file(local.root() + "/lease-nonce") == lease.root_nonce + "\n");
    const auto stored = local.ledger().lease(lease.id);
    REQUIRE(stored);
    CHECK_FALSE(stored->boot_id.empty());
    CHECK_FALSE(stored->helper_path.empty());
}

TEST_CASE("a root that carries another lease's mark is refused before anything is sent") {
    support::TestOp op;
    support::LocalDeps local{op};
    const model::Lease lease = local.adopt("b1");
    {
        auto box = flow::Box::connect(op, local.deps(), lease);
        REQUIRE(box);
        REQUIRE(box->claim_root(op, true, somebody()));
    }
    support::write_file(local.root() + "/lease-nonce", "ffffffffffffffffffffffffffffffff\n");
    auto box = flow::Box::connect(op, local.deps(), lease);
    REQUIRE(box);
    CHECK(box->open_root(op, false).error().code == Code::host_key);
    CHECK(box->claim_root(op, true, somebody()).error().code == Code::host_key);
}

TEST_CASE("after a restart the mark must be there") {
    support::TestOp op;
    support::LocalDeps local{op};
    model::Lease lease = local.adopt("b1");
    {
        auto box = flow::Box::connect(op, local.deps(), lease);
        REQUIRE(box);
        REQUIRE(box->claim_root(op, true, somebody()));
    }
    REQUIRE(local.ledger().record_box(lease.id, {.boot_id = "an-earlier-boot", .helper_path = {}, .capabilities = {}}));
    lease = *local.ledger().lease(lease.id);
    {
        auto box = flow::Box::connect(op, local.deps(), lease);
        REQUIRE(box);
        CHECK(box->restarted());
        CHECK(box->open_root(op, false));
    }
    support::write_file(local.root() + "/lease-nonce", "\n");
    auto box = flow::Box::connect(op, local.deps(), lease);
    REQUIRE(box);
    CHECK(box->open_root(op, false).error().code == Code::host_key);
}

TEST_CASE("a root that lost the mark we left there is no new one, however it lost it") {
    const std::string how = GENERATE("emptied", "gone", "another directory");
    CAPTURE(how);
    support::TestOp op;
    support::LocalDeps local{op};
    const model::Lease lease = local.adopt("b1");
    {
        auto box = flow::Box::connect(op, local.deps(), lease);
        REQUIRE(box);
        CHECK(box->mark(op).value() == flow::RootMark::none);
        REQUIRE(box->claim_root(op, true, somebody()));
        CHECK(box->mark(op).value() == flow::RootMark::ours);
    }
    std::filesystem::remove_all(local.root());
    if (how != "gone") std::filesystem::create_directories(local.root());
    if (how == "another directory") support::write_file(local.root() + "/current", "no release\n");
    auto box = flow::Box::connect(op, local.deps(), lease);
    REQUIRE(box);
    CHECK(box->mark(op).value() == flow::RootMark::missing);
    CHECK(box->open_root(op, false).error().code == Code::host_key);
    const auto ask = box->ask_root(op, [](agent::Session&, proto::RootId) { return std::vector<std::uint32_t>{}; });
    CHECK(ask.error().code == Code::host_key);
    const auto claim = box->claim_root(op, true, somebody());
    REQUIRE_FALSE(claim);
    CHECK(claim.error().code == Code::host_key);
    CHECK(claim.error().next == "drawhitch doctor b1");
    CHECK(claim.error().why.find("`drawhitch adopt b1 local --data-dir /") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(local.root() + "/lease-nonce"));
}

TEST_CASE("a lease that takes another mark begins anew") {
    support::TestOp op;
    support::LocalDeps local{op};
    model::Lease lease = local.adopt("b1");
    {
        auto box = flow::Box::connect(op, local.deps(), lease);
        REQUIRE(box);
        REQUIRE(box->claim_root(op, true, somebody()));
    }
    std::filesystem::remove_all(local.root());
    REQUIRE(local.ledger().set_root(lease.id, lease.project, lease.root, "00000000000000000000000000000000"));
    lease = *local.ledger().lease(lease.id);
    auto box = flow::Box::connect(op, local.deps(), lease);
    REQUIRE(box);
    CHECK(box->claim_root(op, true, somebody()));
}
