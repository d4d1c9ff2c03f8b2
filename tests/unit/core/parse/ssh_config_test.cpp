#include "core/parse/ssh_config.hpp"

#include <catch2/catch_test_macros.hpp>

namespace drawhitch::parse {

TEST_CASE("what ssh -G prints is read") {
    const SshConfig config = ssh_config(
        "host exp1\nuser root\nhostname 203.0.113.7\nport 40022\nidentitiesonly yes\n"
        "identityfile ~/keys/exp one\nidentityfile ~/keys/two\nproxyjump none\nproxycommand none\ngssapiauthentication "
        "no\n");
    CHECK(config.host_name == "203.0.113.7");
    CHECK(config.port == 40022);
    CHECK(config.user == "root");
    CHECK(config.identities_only);
    CHECK(config.identity_files == std::vector<std::string>{"~/keys/exp one", "~/keys/two"});
    CHECK(needs_ssh_program(config).empty());
}

TEST_CASE("ssh's built-in identities are not taken for the user's choice") {
    const SshConfig config =
        ssh_config("identityfile ~/.ssh/id_rsa\nidentityfile ~/.ssh/id_ed25519\nidentityfile ~/.ssh/id_ed25519_sk\n");
    CHECK(config.identity_files.empty());
    CHECK(needs_ssh_program(config).empty());
}

TEST_CASE("hosts that libssh2 cannot serve are recognised, with the reason") {
    struct Row {
        const char* line;
        const char* reason;
    };
    for (const Row& row :
         {Row{"proxyjump bastion", "jump host"}, Row{"proxycommand nc %h %p", "ProxyCommand"},
          Row{"certificatefile ~/.ssh/id-cert.pub", "certificate"}, Row{"pkcs11provider /usr/lib/x.so", "smart card"},
          Row{"securitykeyprovider /usr/lib/sk.so", "security key"},
          Row{"identityfile ~/.ssh/work_sk", "security key"}}) {
        CAPTURE(row.line);
        CHECK(needs_ssh_program(ssh_config(row.line)).find(row.reason) != std::string::npos);
    }
    CHECK(needs_ssh_program(ssh_config("gssapiauthentication yes\nsecuritykeyprovider internal\n")).empty());
}

TEST_CASE("odd text does no harm") {
    for (const char* text : {"", "\n\n", "port", "port x", "port 99999999", "hostname", " \t \n", "user \xFF\n"}) {
        CAPTURE(text);
        CHECK(ssh_config(text).port == 22);
    }
}

}  // namespace drawhitch::parse
