// KeyAgent: a client of ssh-agent that can be cancelled while the agent thinks (or waits for its user). Lists keys and
// has data signed; it never adds, removes or forwards anything.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.hpp"
#include "base/op.hpp"

namespace drawhitch::transport {

struct AgentKey {
    std::string blob{};     // raw public key
    std::string comment{};  // as the agent tells it: bytes
};

// One connection; one thread. Codes: key_unusable for all that is wrong with the agent, cancelled, deadline.
class KeyAgent {
  public:
    static Result<KeyAgent> connect(const Op& op, const std::string& socket_path);

    Result<std::vector<AgentKey>> list(const Op& op);
    // The signature in SSH's form: string algorithm, string signature. `flags` choose RSA's hash: 2 for SHA-256, 4 for
    // SHA-512.
    Result<std::string> sign(const Op& op, std::string_view blob, std::string_view data, std::uint32_t flags);

  private:
    explicit KeyAgent(UniqueFd socket) : socket_(std::move(socket)) {}
    Result<std::string> ask(const Op& op, std::string_view request);

    UniqueFd socket_{};
};

}  // namespace drawhitch::transport
