// FirstUse: who decides whether a key a host shows is the box's, when no lease has pinned it yet or the user adopts a
// box again: the pinned keys, a fingerprint given on the command line, the user's own known_hosts, or the person at the
// terminal, in that order. Nothing is sent to the host before it has said yes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/transport/endpoint.hpp"

namespace drawhitch::term {
class Prompt;
}

namespace drawhitch::flow {

struct HostTrust {
    std::vector<model::HostKey> pins{};   // of the lease, when there is one
    std::vector<model::HostKey> known{};  // from the user's known_hosts
    // "SHA256:…", "any" (whatever a host shows of which no key is known yet), or empty: ask.
    std::string accept{};
    std::string retry{};  // the command to type with a fingerprint, without the flag
};

class FirstUse final : public transport::HostKeyPolicy {
  public:
    FirstUse(HostTrust trust, term::Prompt& prompt) : trust_(std::move(trust)), prompt_(prompt) {}

    [[nodiscard]] std::vector<std::string> known_types() const override;
    Status check(const Op& op, std::string_view shown, const model::HostKey& key) override;

    // The key that was accepted, with its source ("pinned" keys keep theirs); nothing before.
    [[nodiscard]] const std::optional<model::HostKey>& accepted() const { return accepted_; }
    // It is not among the pins.
    [[nodiscard]] bool is_new() const { return is_new_; }

  private:
    Status accept(const Op& op, const model::HostKey& key, const std::string& source);
    // The key that was known for the host before, where `key` is another one.
    [[nodiscard]] const model::HostKey* contradicting(const model::HostKey& key) const;
    [[nodiscard]] Error replaces(std::string_view shown, const model::HostKey& key, const model::HostKey& other) const;
    Status ask(const Op& op, std::string_view shown, const model::HostKey& key);

    HostTrust trust_{};
    term::Prompt& prompt_;
    std::optional<model::HostKey> accepted_{};
    bool is_new_{false};
};

}  // namespace drawhitch::flow
