// What the SSH transports need to know to reach a box, and the two questions they may have to ask: "is this key the
// box's?" and "what is the passphrase?". Nothing here connects.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/op.hpp"
#include "core/model/lease.hpp"

namespace drawhitch::transport {

// The key a server proved to own. It is called before anything is authenticated or sent.
class HostKeyPolicy {
  public:
    virtual ~HostKeyPolicy() = default;
    // Key types already known for the host ("ssh-ed25519"), asked for first, so that a known host is not met by a key
    // of another type. Empty when the host is unknown.
    [[nodiscard]] virtual std::vector<std::string> known_types() const = 0;
    // ok() lets the connection go on; an Error (Code::host_key) ends it before authentication. `shown` is "host:port".
    virtual Status check(const Op& op, std::string_view shown, const model::HostKey& key) = 0;
};

// Pinned keys only: any other key is refused, a changed one by name. With `pins` empty everything is refused.
class PinnedKeys final : public HostKeyPolicy {
  public:
    // `cure` is the command to type when a changed key turns out to be right; it becomes the error's `next`.
    explicit PinnedKeys(std::vector<model::HostKey> pins, std::string cure = {})
        : pins_(std::move(pins)), cure_(std::move(cure)) {}
    [[nodiscard]] std::vector<std::string> known_types() const override;
    Status check(const Op& op, std::string_view shown, const model::HostKey& key) override;

  private:
    std::vector<model::HostKey> pins_{};
    std::string cure_{};
};

// "SHA256:…" of a raw public key, as ssh and providers' consoles show it.
std::string fingerprint_of(std::string_view blob);

enum class SecretKind { passphrase, password };

struct SecretQuestion {
    SecretKind kind{SecretKind::passphrase};
    std::string what{};  // the key file, or "user@host"
    int attempt{1};      // above 1: the last answer was wrong
};

// Asks the user for a secret, or answers from where it was told to. Code::key_unusable when nobody can be asked: it
// must return at once then, never wait for a terminal that is not there.
class SecretPrompt {
  public:
    virtual ~SecretPrompt() = default;
    virtual Result<std::string> ask(const Op& op, const SecretQuestion& question) = 0;
    // Whether there is somebody to ask at all, and whether questions are switched off.
    [[nodiscard]] virtual bool possible() const { return true; }
    [[nodiscard]] virtual bool forbidden() const { return false; }
    // Runs what asks the person by itself (another program), with nothing of ours in its way.
    virtual void make_way(const std::function<void()>& asking) { asking(); }
};

// Asks another prompt once per secret and remembers the answer until the process ends, so that polls and reconnects do
// not ask again. A repeated attempt means the remembered answer was wrong, and asks anew.
class OncePrompt final : public SecretPrompt {
  public:
    explicit OncePrompt(SecretPrompt& inner) : inner_(inner) {}
    ~OncePrompt() override;
    OncePrompt(const OncePrompt&) = delete;
    OncePrompt& operator=(const OncePrompt&) = delete;
    Result<std::string> ask(const Op& op, const SecretQuestion& question) override;
    [[nodiscard]] bool possible() const override { return inner_.possible(); }
    [[nodiscard]] bool forbidden() const override { return inner_.forbidden(); }
    void make_way(const std::function<void()>& asking) override { inner_.make_way(asking); }

  private:
    SecretPrompt& inner_;
    std::map<std::string, std::string> answers_{};
};

// Overwrites the bytes, in a way the compiler keeps.
void wipe(std::string& secret) noexcept;

// What a server wants beyond the keys that the built-in client can offer; the ssh program can give it.
enum class Beyond {
    nothing,
    person,  // answers to questions: a one-time code, a password
    ticket,  // GSSAPI (Kerberos)
};

struct SshLimits {
    milliseconds connect{15'000};  // names, TCP and the server's greeting, each
    milliseconds stall{20'000};    // no byte either way while an answer is owed
};

struct SshTarget {
    std::string host{};  // name or address
    std::uint16_t port{22};
    std::string user{};
    // Given files are the only keys offered (also where an agent holds them); without any, the agent's and then the
    // usual files under `home`.
    std::vector<std::string> identity_files{};
    std::string agent_socket{};  // SSH_AUTH_SOCK; empty for none
    std::string home{};          // for ~/.ssh/id_*; empty for none
    SshLimits limits{};

    // "root@203.0.113.7:22", "root@[2001:db8::1]:22".
    [[nodiscard]] std::string shown() const;
    // The same without the user.
    [[nodiscard]] std::string shown_host() const;
};

// Both must outlive the transport. Without a prompt an encrypted key is an error at once.
struct SshTrust {
    HostKeyPolicy& host_keys;
    SecretPrompt* prompt{nullptr};
    bool by_password{false};  // authenticate with the user's password instead of a key: to install a key, once
};

}  // namespace drawhitch::transport
