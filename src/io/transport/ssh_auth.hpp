// Who we are, proven to a server whose host key has been accepted: which keys may be offered, in what order, and the
// words when none is taken.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/transport/endpoint.hpp"
#include "io/transport/key_agent.hpp"
#include "io/transport/key_file.hpp"
#include "io/transport/ssh_link.hpp"

namespace drawhitch::transport {

// One key to offer, held by a file or by the agent.
struct Candidate {
    std::string shown{};            // "~/.ssh/id_ed25519 (ssh-ed25519)", for errors
    std::string blob{};             // raw public key; may be empty for a file
    std::optional<KeyFile> file{};  // else the agent signs
};

// The keys for a target, read before any connection is made, so that a key that cannot be used fails at once and costs
// the server nothing.
class Keyring {
  public:
    // With files given, exactly those keys, in that order (signed for by the agent where it holds them); a given key
    // that cannot be used is an error. Else at most k_most_agent_keys of the agent's, then the usual files; unusable
    // ones are only remembered for the error text.
    static Result<Keyring> gather(const Op& op, const SshTarget& target, bool can_ask);

    std::vector<Candidate> candidates{};
    std::vector<std::string> passed_over{};  // "~/.ssh/id_rsa: is open to others (mode 0644)"
    std::optional<Error> open_to_others{};   // the first usual key file that was passed over for its mode
    std::optional<KeyAgent> agent{};
    Beyond beyond{Beyond::nothing};  // told by the login that failed

    // A server counts refused keys and hangs up after six (OpenSSH's MaxAuthTries).
    static constexpr std::size_t k_most_agent_keys = 4;

  private:
    Status add_given(const Op& op, const SshTarget& target, const std::vector<AgentKey>& held, bool can_ask);
    void add_usual(const SshTarget& target, const std::vector<AgentKey>& held);
};

// Logs in. Codes: auth, key_unusable, limits, link_lost, stalled, cancelled, deadline.
Status authenticate(const Op& op, SshLink& link, Keyring& keys, SecretPrompt* prompt);
// Logs in with the user's password, asked once: for installing a key.
Status authenticate_by_password(const Op& op, SshLink& link, SecretPrompt& prompt);

}  // namespace drawhitch::transport
