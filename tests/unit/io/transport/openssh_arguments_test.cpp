#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "io/transport/openssh.hpp"

namespace drawhitch::transport {

namespace {

SshTarget target(std::string host, std::string user = "root") {
    SshTarget made;
    made.host = std::move(host);
    made.user = std::move(user);
    made.port = 2222;
    return made;
}

const OpensshFiles k_files{"/run/x y/100%.hosts", "/run/log", ""};

bool holds(const std::vector<std::string>& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

TEST_CASE("whatever the user configured, ssh is called without what would weaken us") {
    const auto words = openssh_arguments(target("203.0.113.7"), {}, k_files);
    REQUIRE(words);
    for (const char* word :
         {"-T", "-a", "-x", "ClearAllForwardings=yes", "ForwardAgent=no", "PermitLocalCommand=no", "RemoteCommand=none",
          "StrictHostKeyChecking=yes", "GlobalKnownHostsFile=/dev/null", "BatchMode=yes", "ControlMaster=no",
          "ControlPath=none", "UpdateHostKeys=no", "HostKeyAlias=drawhitch-box"}) {
        CAPTURE(word);
        CHECK(holds(*words, word));
    }
    // Spaces and percent signs in a path reach the program as they are.
    CHECK(holds(*words, "UserKnownHostsFile=\"/run/x y/100%%.hosts\""));
    REQUIRE(words->size() > 2);
    CHECK((*words)[words->size() - 2] == "--");
    CHECK(words->back() == "203.0.113.7");
}

TEST_CASE("an alias keeps the user's own user, port and keys") {
    OpensshSetup setup;
    setup.alias = "exp1";
    const auto words = openssh_arguments(target(""), setup, k_files);
    REQUIRE(words);
    CHECK(words->back() == "exp1");
    CHECK_FALSE(holds(*words, "-l"));
    CHECK_FALSE(holds(*words, "-p"));
}

TEST_CASE("keys below a HOME that ssh does not look into are offered beside its own, unless one is named") {
    OpensshSetup setup;
    setup.usual_keys = {"/h/.ssh/id_ed25519"};
    const auto has = [&](const SshTarget& to, std::string_view word) {
        const auto words = openssh_arguments(to, setup, k_files);
        REQUIRE(words);
        return std::find(words->begin(), words->end(), word) != words->end();
    };
    CHECK(has(target("203.0.113.7"), "/h/.ssh/id_ed25519"));
    CHECK_FALSE(has(target("203.0.113.7"), "IdentitiesOnly=yes"));
    SshTarget named = target("203.0.113.7");
    named.identity_files = {"/k"};
    CHECK_FALSE(has(named, "/h/.ssh/id_ed25519"));
}

TEST_CASE("a named key is the only one offered") {
    SshTarget with_key = target("box");
    with_key.identity_files = {"/home/u/100% key"};
    const auto words = openssh_arguments(with_key, {}, k_files);
    REQUIRE(words);
    CHECK(holds(*words, "/home/u/100%% key"));
    CHECK(holds(*words, "IdentitiesOnly=yes"));
}

TEST_CASE("names that ssh would read as options, commands or tokens are refused") {
    for (const char* host : {"", "-oProxyCommand=touch x", "a b", "a;b", "a$b", "a%h", "a`b`", "a\nb", "a/b"}) {
        CAPTURE(host);
        const auto refused = openssh_arguments(target(host), {}, k_files);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == Code::usage);
    }
    CHECK_FALSE(openssh_arguments(target("box", "-lroot"), {}, k_files));
    OpensshSetup setup;
    setup.alias = "-F/tmp/x";
    CHECK_FALSE(openssh_arguments(target("box"), setup, k_files));
}

TEST_CASE("hosts and users of real providers pass") {
    for (const char* host : {"203.0.113.7", "2001:db8::1", "ssh.runpod.io", "box-3.internal_net"}) {
        CAPTURE(host);
        CHECK(openssh_arguments(target(host), {}, k_files));
    }
    for (const char* user : {"root", "ubuntu", "abc123-64411f3a", "me@corp.example", "user+tag"}) {
        CAPTURE(user);
        CHECK(openssh_arguments(target("box", user), {}, k_files));
    }
}

}  // namespace drawhitch::transport
