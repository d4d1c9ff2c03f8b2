#include "io/transport/key_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "base/fd.hpp"
#include "base/text.hpp"
#include "io/transport/endpoint.hpp"
#include "io/transport/ssh_wire.hpp"

namespace drawhitch::transport {

namespace {

constexpr std::size_t k_longest_key = 64U << 10U;  // an RSA key of 16384 bits has 13 KiB

int base64_value(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '+') return 62;
    return c == '/' ? 63 : -1;
}

Error unusable(std::string_view path, std::string_view what) {
    return Error{Code::key_unusable, "the key file " + printable(path) + " " + std::string(what)};
}

std::string_view between(std::string_view text, std::string_view begin, std::string_view end) {
    const std::size_t from = text.find(begin);
    if (from == std::string_view::npos) return {};
    text.remove_prefix(from + begin.size());
    const std::size_t to = text.find(end);
    return to == std::string_view::npos ? std::string_view{} : text.substr(0, to);
}

// OpenSSH's own format keeps the public half in clear, so it is known without the passphrase.
Status read_openssh_format(KeyFile& key, std::string_view body) {
    static constexpr std::string_view k_magic("openssh-key-v1\0", 15);
    const std::string raw = from_base64(body);
    if (!raw.starts_with(k_magic)) return unusable(key.path, "is damaged: its text is not an OpenSSH key");
    WireReader fields(std::string_view(raw).substr(k_magic.size()));
    std::string_view cipher;
    std::string_view skipped;
    std::string_view blob;
    std::uint32_t count = 0;
    if (!fields.text(cipher) || !fields.text(skipped) || !fields.text(skipped) || !fields.number(count) || count != 1 ||
        !fields.text(blob)) {
        return unusable(key.path, "is damaged: it ends too early");
    }
    key.encrypted = cipher != "none";
    key.public_blob.assign(blob);
    key.type = key_type(blob);
    if (key.type.starts_with("sk-")) {
        return unusable(key.path, "needs its hardware token")
            .because("only the ssh program can use it: transport = \"openssh\"");
    }
    return ok();
}

}  // namespace

KeyFile::~KeyFile() {
    wipe(text);
}

std::string from_base64(std::string_view text) {
    std::string bytes;
    std::uint32_t group = 0;
    int count = 0;
    bool ended = false;
    for (char c : text) {
        if (c == '\n' || c == '\r' || c == ' ' || c == '\t') continue;
        if (c == '=') {
            ended = true;
            continue;
        }
        const int value = base64_value(c);
        if (value < 0 || ended) return {};
        group = group << 6U | static_cast<std::uint32_t>(value);
        if (++count % 4 == 0) {
            bytes += static_cast<char>(group >> 16U & 0xFFU);
            bytes += static_cast<char>(group >> 8U & 0xFFU);
            bytes += static_cast<char>(group & 0xFFU);
            group = 0;
        }
    }
    if (count % 4 == 1) return {};
    if (count % 4 >= 2) bytes += static_cast<char>(group >> (count % 4 == 2 ? 4U : 10U) & 0xFFU);
    if (count % 4 == 3) bytes += static_cast<char>(group >> 2U & 0xFFU);
    return bytes;
}

std::string key_type(std::string_view blob) {
    std::string_view type;
    WireReader fields(blob);
    if (!fields.text(type) || type.empty() || type.size() > 64) return {};
    return std::string(type);
}

std::string public_blob(std::string_view line) {
    const auto words = split(trim(line), ' ');
    if (words.size() < 2) return {};
    std::string blob = from_base64(words[1]);
    return key_type(blob) == words[0] ? blob : std::string{};
}

Result<KeyFile> parse_key(std::string_view path, std::string text) {
    KeyFile key;
    key.path.assign(path);
    key.text = std::move(text);
    const std::string_view all = key.text;
    static constexpr std::string_view k_begin = "-----BEGIN OPENSSH PRIVATE KEY-----";
    if (all.find(k_begin) != std::string_view::npos) {
        TRY(read_openssh_format(key, between(all, k_begin, "-----END OPENSSH PRIVATE KEY-----")));
        return key;
    }
    if (all.starts_with("PuTTY-User-Key-File")) {
        return unusable(path, "is in PuTTY's format")
            .then("puttygen " + shell_quote(path) + " -O private-openssh -o NEW");
    }
    if (all.find("-----BEGIN ") == std::string_view::npos || all.find("PRIVATE KEY-----") == std::string_view::npos) {
        const bool is_public = !public_blob(all.substr(0, all.find('\n'))).empty();
        return unusable(path, is_public ? "is a public key; name the private one, without .pub" : "is no private key");
    }
    if (all.find("-----END ") == std::string_view::npos) return unusable(path, "is damaged: it ends too early");
    key.encrypted = all.find("BEGIN ENCRYPTED PRIVATE KEY") != std::string_view::npos ||
                    all.find("Proc-Type: 4,ENCRYPTED") != std::string_view::npos;
    return key;
}

namespace {

Result<std::string> read_private(const std::string& path) {
    const UniqueFd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (!fd && errno == ENOENT) return unusable(path, "does not exist").then("ls ~/.ssh");
    if (!fd) return unusable(path, std::string("cannot be read: ") + std::strerror(errno));
    struct stat info {};
    if (::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) return unusable(path, "is not a file");
    // As OpenSSH: only our own files are held to it; a key that a system keeps for us has its own rules.
    if (info.st_uid == ::geteuid() && (info.st_mode & 077U) != 0) {
        char mode[8] = {};
        std::snprintf(mode, sizeof mode, "%04o", static_cast<unsigned>(info.st_mode & 07777U));
        return Error{Code::key_permissions,
                     "the key file " + printable(path) + " is open to others (mode " + mode + "), so it is not used"}
            .because("a private key that others can read is no secret; SSH itself refuses such files")
            .then("chmod 600 " + shell_quote(path));
    }
    std::string text(k_longest_key + 1, '\0');
    TRY_ASSIGN(const std::size_t size, read_full(fd.get(), text, path));
    if (size > k_longest_key) return unusable(path, "is too large for a key");
    text.resize(size);
    return text;
}

}  // namespace

Result<std::string> load_public_half(const std::string& path) {
    for (const std::string& name : {path + ".pub", path}) {
        const UniqueFd fd{::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
        if (!fd) continue;
        std::string line(k_longest_key, '\0');
        TRY_ASSIGN(const std::size_t size, read_full(fd.get(), line, name));
        line.resize(size);
        std::string blob = public_blob(std::string_view(line).substr(0, line.find('\n')));
        if (!blob.empty()) return blob;
    }
    return unusable(path, "has no public half beside it");
}

Result<KeyFile> load_key_file(const std::string& path) {
    TRY_ASSIGN(std::string text, read_private(path));
    TRY_ASSIGN(KeyFile key, parse_key(path, std::move(text)));
    // PEM files do not tell whose key they hold; the file beside them may.
    if (key.public_blob.empty()) {
        if (auto half = load_public_half(path)) {
            key.public_blob = std::move(*half);
            key.type = key_type(key.public_blob);
        }
    }
    return key;
}

}  // namespace drawhitch::transport
