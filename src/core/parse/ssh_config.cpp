#include "core/parse/ssh_config.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.hpp"

namespace drawhitch::parse {

namespace {

// What ssh prints when the user configured no identity at all.
constexpr std::array k_default_identities{"~/.ssh/id_rsa",     "~/.ssh/id_ecdsa",      "~/.ssh/id_ecdsa_sk",
                                          "~/.ssh/id_ed25519", "~/.ssh/id_ed25519_sk", "~/.ssh/id_xmss",
                                          "~/.ssh/id_dsa"};

bool is_none(std::string_view value) {
    return value.empty() || value == "none";
}

void set_text(std::string& field, std::string_view value) {
    if (!is_none(value)) field.assign(value);
}

void take(SshConfig& config, std::string_view key, std::string_view value) {
    if (key == "hostname") set_text(config.host_name, value);
    if (key == "user") set_text(config.user, value);
    if (key == "proxyjump") set_text(config.proxy_jump, value);
    if (key == "proxycommand") set_text(config.proxy_command, value);
    if (key == "pkcs11provider") set_text(config.pkcs11_provider, value);
    if (key == "securitykeyprovider" && value != "internal") set_text(config.security_key_provider, value);
    if (key == "certificatefile" && !is_none(value)) config.certificate_files.emplace_back(value);
    if (key == "gssapiauthentication") config.gssapi = value == "yes";
    if (key == "identitiesonly") config.identities_only = value == "yes";
    if (key == "port") std::from_chars(value.data(), value.data() + value.size(), config.port);
    if (key == "identityfile" && !is_none(value) &&
        std::find(k_default_identities.begin(), k_default_identities.end(), value) == k_default_identities.end()) {
        config.identity_files.emplace_back(value);
    }
}

}  // namespace

SshConfig ssh_config(std::string_view text) {
    SshConfig config;
    for (std::string_view line : split(text, '\n')) {
        line = trim(line);
        const std::size_t at = line.find(' ');
        if (at != std::string_view::npos) take(config, line.substr(0, at), trim(line.substr(at + 1)));
    }
    return config;
}

std::string needs_ssh_program(const SshConfig& config) {
    if (!config.proxy_jump.empty()) return "it is reached through a jump host (ProxyJump " + config.proxy_jump + ")";
    if (!config.proxy_command.empty()) return "it is reached through a ProxyCommand";
    if (!config.certificate_files.empty()) return "it wants an SSH certificate";
    if (!config.pkcs11_provider.empty()) return "its key lies on a smart card (PKCS11Provider)";
    if (!config.security_key_provider.empty()) return "its key lies on a security key";
    const auto is_token = [](const std::string& file) { return file.ends_with("_sk"); };
    if (std::any_of(config.identity_files.begin(), config.identity_files.end(), is_token)) {
        return "its key lies on a security key";
    }
    // GSSAPI alone is no reason: distributions switch it on for every host, and a key is tried as well.
    return {};
}

}  // namespace drawhitch::parse
