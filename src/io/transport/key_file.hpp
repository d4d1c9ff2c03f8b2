// Private key files: whether one may be used at all, whose key it is, and whether a passphrase guards it. It decrypts
// nothing; libssh2 does.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace drawhitch::transport {

struct KeyFile {
    std::string path{};
    std::string text{};         // the file as it is: secret; wiped with the object
    std::string type{};         // "ssh-ed25519" …; empty when the file does not tell
    std::string public_blob{};  // raw; empty when the file does not tell
    bool encrypted{false};

    KeyFile() = default;
    KeyFile(KeyFile&&) noexcept = default;
    KeyFile& operator=(KeyFile&&) noexcept = default;
    KeyFile(const KeyFile&) = delete;
    KeyFile& operator=(const KeyFile&) = delete;
    ~KeyFile();
};

// Codes: key_permissions (others may read it), key_unusable (missing, unreadable, of a kind that cannot be used).
Result<KeyFile> load_key_file(const std::string& path);

// The raw public key in PATH.pub, or in PATH itself where that is a public key.
Result<std::string> load_public_half(const std::string& path);

// What the text of a private key tells; pure. Code::key_unusable for what is no private key.
Result<KeyFile> parse_key(std::string_view path, std::string text);

// The raw key of a one-line public key ("ssh-ed25519 AAAA… comment"); empty when it is none.
std::string public_blob(std::string_view line);

// The type a raw public key names; empty when it is none.
std::string key_type(std::string_view blob);

// Base64 without the liberties: empty when the text is not base64.
std::string from_base64(std::string_view text);

}  // namespace drawhitch::transport
