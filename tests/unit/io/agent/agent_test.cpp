// The whole road on this machine: install the helper through a local shell, start it, and every call of Agent.
#include <catch2/catch_test_macros.hpp>

#include "base/random.hpp"
#include "io/agent/agent.hpp"
#include "io/transport/local.hpp"
#include "support/temp_dir.hpp"
#include "support/test_op.hpp"

#include <cstdlib>

using namespace drawhitch;

TEST_CASE("a box without the helper gets it, and its file system can be probed") {
    support::TempDir home;
    ::setenv("HOME", home.path().c_str(), 1);
    support::TestOp op;
    transport::LocalTransport local;
    auto agent = agent::Agent::connect(op, local, agent::HelperImages::embedded(), {});
    if (!agent) FAIL(agent.error().message << " | " << agent.error().why);
    CHECK((*agent)->installed());
    auto root = (*agent)->open_root(op, home / "tree", true);
    REQUIRE(root);
    auto claim = (*agent)->claim(op, *root, {random_bytes(16), 0, false, "test"});
    REQUIRE(claim);
    CHECK(claim->epoch == 1);
    auto probed = (*agent)->probe_root(op, *claim);
    REQUIRE(probed);
    CHECK(probed->hard_links);
    CHECK(probed->rename_no_replace);
    CHECK(probed->exec);
}
