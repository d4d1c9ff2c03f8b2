// Fence: the claim that all connections of one push share. The first one raises the epoch of the box's root, which
// fences every earlier push; the others join it. Whoever takes the place of a connection that was lost or has gone
// silent raises it again, because the helper at the end of a dead path may still write; the others then join anew.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>

#include "base/op.hpp"
#include "io/agent/agent.hpp"

namespace drawhitch::flow {

// Thread-safe.
class Fence {
  public:
    // `wish` is what is asked for, without its epoch: the owner is this push.
    explicit Fence(agent::ClaimOptions wish) : wish_(std::move(wish)) {}

    // Asks the box for a claim, on the caller's connection.
    using Ask = std::function<Result<agent::Claim>(const agent::ClaimOptions&)>;

    // A claim for a connection that has none. Blocks while another connection raises the epoch. Codes: those of `ask`.
    Result<agent::Claim> claim(const Op& op, const Ask& ask);
    // The same for one whose claim `old` the box calls fenced. Nothing when it was not this push that fenced it.
    Result<std::optional<agent::Claim>> claim_again(const Op& op, const agent::Claim& old, const Ask& ask);
    // A connection that had a claim is given up: the next claim fences it.
    void lost();
    // True when `claim` is not, or not for long, the one in force: nothing more may be begun under it.
    [[nodiscard]] bool outdated(const agent::Claim& claim);

  private:
    // The epoch to join, 0 for one that is to raise it (and has to end with raised()).
    Result<std::uint64_t> turn(const Op& op);
    void raised(const Result<agent::Claim>& claim);

    agent::ClaimOptions wish_{};
    std::mutex mutex_{};
    std::condition_variable turned_{};
    std::uint64_t epoch_{0};
    bool raise_{true};
    bool raising_{false};
};

}  // namespace drawhitch::flow
