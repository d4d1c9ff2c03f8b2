#include "flow/endpoint_of.hpp"

#include <catch2/catch_test_macros.hpp>

namespace drawhitch::flow {

namespace {

using model::TransportKind;

Laptop laptop() {
    Laptop here;
    here.home = "/home/me";
    here.directory = "/home/me/project";
    return here;
}

Resolved decide(const parse::SshLine& line, const parse::SshConfig& config = {}, const model::Profile& profile = {},
                std::optional<TransportKind> wanted = {}) {
    return decide_endpoint(line, config, profile, wanted, {laptop(), "me"});
}

parse::SshLine line_to(std::string host) {
    parse::SshLine line;
    line.destination = std::move(host);
    return line;
}

}  // namespace

TEST_CASE("what the line says stands above the configuration and the profile") {
    parse::SshLine line = line_to("203.0.113.7");
    line.user = "root";
    line.port = 40022;
    line.identity_file = "keys/id";
    parse::SshConfig config;
    config.user = "other";
    config.port = 22;
    config.identity_files = {"~/.ssh/other"};
    const auto endpoint = decide(line, config).endpoint;
    CHECK(endpoint.transport == TransportKind::ssh);
    CHECK(endpoint.host == "203.0.113.7");
    CHECK(endpoint.user == "root");
    CHECK(endpoint.port == 40022);
    CHECK(endpoint.identity_file == "/home/me/project/keys/id");
    CHECK(endpoint.alias.empty());
}

TEST_CASE("a profile whose logins ask a person is a reason for the ssh program, unless somebody has chosen") {
    model::Profile profile;
    profile.limits.mfa = true;
    const Resolved resolved = decide(line_to("gpu1"), {}, profile);
    CHECK(resolved.endpoint.transport == TransportKind::openssh);
    CHECK(resolved.why_transport.find("mfa") != std::string::npos);
    CHECK(decide(line_to("gpu1"), {}, profile, TransportKind::ssh).endpoint.transport == TransportKind::ssh);
    profile.limits.mfa = false;
    CHECK(decide(line_to("gpu1"), {}, profile).endpoint.transport == TransportKind::ssh);
}

TEST_CASE("an alias is resolved by the user's configuration and remembered") {
    parse::SshConfig config;
    config.host_name = "203.0.113.7";
    config.user = "ubuntu";
    config.port = 2222;
    config.identity_files = {"~/.ssh/gpu"};
    const auto endpoint = decide(line_to("gpu1"), config).endpoint;
    CHECK(endpoint.host == "203.0.113.7");
    CHECK(endpoint.alias == "gpu1");
    CHECK(endpoint.user == "ubuntu");
    CHECK(endpoint.port == 2222);
    CHECK(endpoint.identity_file == "/home/me/.ssh/gpu");
}

TEST_CASE("the local user's name is a guess that the profile knows better") {
    parse::SshConfig config;
    config.user = "me";
    model::Profile profile;
    profile.ssh.user = "root";
    CHECK(decide(line_to("box"), config, profile).endpoint.user == "root");
    CHECK(decide(line_to("box"), config).endpoint.user == "me");
}

TEST_CASE("a host behind a jump host goes through the ssh program, under the name the user gave") {
    parse::SshConfig config;
    config.host_name = "10.0.0.5";
    config.user = "ubuntu";
    config.proxy_jump = "bastion";
    const Resolved resolved = decide(line_to("inner"), config);
    CHECK(resolved.endpoint.transport == TransportKind::openssh);
    CHECK(resolved.endpoint.alias == "inner");
    CHECK(resolved.why_transport.find("bastion") != std::string::npos);
    // With a port in the line the name alone would lose it.
    parse::SshLine line = line_to("inner");
    line.port = 2200;
    const auto overridden = decide(line, config).endpoint;
    CHECK(overridden.alias.empty());
    CHECK(overridden.host == "inner");
    CHECK(overridden.port == 2200);
}

TEST_CASE("the user's choice of a transport is not argued with") {
    parse::SshConfig config;
    config.proxy_jump = "bastion";
    CHECK(decide(line_to("box"), config, {}, TransportKind::ssh).endpoint.transport == TransportKind::ssh);
    CHECK(decide(line_to("box"), {}, {}, TransportKind::openssh).endpoint.transport == TransportKind::openssh);
}

TEST_CASE("a key name with tokens that only ssh can fill in is left to the defaults") {
    parse::SshConfig config;
    config.identity_files = {"~/.ssh/%h"};
    CHECK(decide(line_to("box"), config).endpoint.identity_file.empty());
}

TEST_CASE("a lease tells the line that adopts its box again") {
    model::Lease lease;
    lease.name = "b1";
    lease.endpoint = {TransportKind::ssh, "203.0.113.7", 40022, "root", "", "/home/me/my key"};
    CHECK(adopt_again(lease) == "drawhitch adopt b1 ssh -p 40022 -i '/home/me/my key' root@203.0.113.7");
    lease.endpoint.alias = "gpu1";
    CHECK(adopt_again(lease) == "drawhitch adopt b1 gpu1");
    lease.endpoint = {.transport = TransportKind::local};
    CHECK(adopt_again(lease) == "drawhitch adopt b1 local");
}

TEST_CASE("a line that says more than its name is remembered in full") {
    parse::SshConfig config;
    config.host_name = "203.0.113.7";
    parse::SshLine line = line_to("gpu1");
    CHECK(decide(line, config).endpoint.alias == "gpu1");
    line.identity_file = "/home/me/other";
    model::Lease lease;
    lease.name = "b1";
    lease.endpoint = decide(line, config).endpoint;
    CHECK(adopt_again(lease).find("-i /home/me/other") != std::string::npos);
}

}  // namespace drawhitch::flow
