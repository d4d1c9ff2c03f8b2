// What `ssh -G HOST` prints: the user's SSH configuration for one host, resolved by the ssh program itself. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace drawhitch::parse {

struct SshConfig {
    std::string host_name{};
    std::uint16_t port{22};
    std::string user{};
    // As configured, with "~" and tokens left as they are; ssh's built-in defaults are not listed.
    std::vector<std::string> identity_files{};
    std::vector<std::string> certificate_files{};
    std::string proxy_jump{};     // empty for none
    std::string proxy_command{};  // empty for none
    std::string security_key_provider{};
    std::string pkcs11_provider{};
    bool gssapi{false};
    bool identities_only{false};
};

// Total: lines that are not understood are passed over, missing ones leave the defaults.
SshConfig ssh_config(std::string_view text);

// Why libssh2 cannot serve a host with this configuration, in words for the user ("it uses ProxyJump"); empty when it
// can.
std::string needs_ssh_program(const SshConfig& config);

}  // namespace drawhitch::parse
