#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "contract/transport_contract.hpp"
#include "io/transport/script.hpp"
#include "io/transport/ssh.hpp"
#include "support/private_sshd.hpp"
#include "support/proxy.hpp"
#include "support/test_op.hpp"

namespace drawhitch {

using support::PrivateSshd;
using transport::SshTransport;

TEST_CASE("the ssh transport keeps the contract against OpenSSH", "[transport][ssh]") {
    static PrivateSshd server;
    static transport::PinnedKeys pins(server.host_keys());
    INFO(server.log());
    contract::check_transport(
        [] { return std::make_unique<SshTransport>(server.target(), transport::SshTrust{pins}); });
}

TEST_CASE("the ssh transport keeps the contract against dropbear", "[transport][ssh]") {
    static PrivateSshd server({.dropbear = true});
    static transport::PinnedKeys pins(server.host_keys());
    INFO(server.log());
    contract::check_transport(
        [] { return std::make_unique<SshTransport>(server.target(), transport::SshTrust{pins}); });
}

}  // namespace drawhitch
