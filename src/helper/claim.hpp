// Claim: the right to change things below one root, and the proof, renewed before each write, that nobody took over
// (docs/protocol.md, "Epochs"). Owns the descriptors of the epoch and lock files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/fd.hpp"
#include "core/proto/messages_tree.hpp"
#include "helper/outcome.hpp"

namespace drawhitch::helper {

class Claim {
  public:
    // `root` is the root's descriptor. Waits at most 10 s for writes under way elsewhere.
    static Outcome<Claim> take(int root, const proto::Claim& request);

    [[nodiscard]] std::uint64_t epoch() const { return epoch_; }
    [[nodiscard]] bool locking() const { return locking_; }

    // Held during one write: while it lives, no other connection can raise the epoch.
    class Guard {
      public:
        explicit Guard(int locked_fd) : fd_(locked_fd) {}
        Guard(Guard&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
        Guard& operator=(Guard&&) = delete;
        Guard(const Guard&) = delete;
        ~Guard();

      private:
        int fd_{-1};
    };
    // fenced, for ever, once a higher epoch is in force or the epoch file was removed.
    Outcome<Guard> guard();

    // Ends the fencing of this root: removes the private directory, if this claim is the one in force, nobody else's
    // lives, and nothing but the files of claims and an empty directory of parts is in it. To be called under a guard.
    // Refused otherwise (busy, not_empty, unsupported), and all stays as it was. Every claim made before is fenced.
    Done give_up(int root);

  private:
    Claim() = default;
    // Nothing where the private directory was removed meanwhile.
    static Outcome<std::optional<Claim>> take_once(int root, const proto::Claim& request);

    UniqueFd epoch_file_{};
    UniqueFd lock_file_{};
    std::uint64_t epoch_{0};
    bool locking_{true};
};

// The epoch in force below a root; 0 if it was never claimed.
std::uint64_t epoch_in_force(int root);

}  // namespace drawhitch::helper
