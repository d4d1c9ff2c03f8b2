// Box: one live connection to a lease's box with its helper running, for the length of a flow. Poll again = connect
// again: connections are short.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "flow/deps.hpp"
#include "io/agent/agent.hpp"
#include "io/transport/transport.hpp"

namespace drawhitch::flow {

class Box {
  public:
    // Connects, starts the helper (installing it if needed) and notes in the ledger that the box answered: contact,
    // boot id, helper place. Code::host_key when another machine answers, also when the host key fits but the root's
    // nonce does not (a cloned disk image carries its keys along). Codes: those of Connector and Agent::connect. Does
    // not retry.
    static Result<Box> connect(const Op& op, Deps& deps, const model::Lease& lease);

    // Opens the lease's root and, for flows that change it, claims it. Code::not_found with `drawhitch push` as next
    // when there is no root yet and `create` is false.
    Result<proto::RootId> open_root(const Op& op, bool create);
    Result<agent::Claim> claim_root(const Op& op, bool create, const agent::ClaimOptions& options);

    // Opens the root and asks questions about it that change nothing, all in one flight: a round trip instead of three.
    // `ask` queues requests that have one answer each on the session and returns their numbers; the answers (refusals
    // included) come back in that order. The root's mark is checked before they are returned, and before they are asked
    // when the box restarted since we knew it. Codes as for open_root.
    using Ask = std::function<std::vector<std::uint32_t>(agent::Session& session, proto::RootId root)>;
    Result<std::vector<agent::Incoming>> ask_root(const Op& op, const Ask& ask);

    [[nodiscard]] const model::Lease& lease() const { return lease_; }
    [[nodiscard]] agent::Agent& agent() { return *agent_; }
    // For scripts on the same connection, where the transport allows a second channel.
    [[nodiscard]] transport::Transport& transport() { return *transport_; }
    // True when the boot id differs from the one the ledger knew: the box restarted since.
    [[nodiscard]] bool restarted() const { return restarted_; }

  private:
    Box(model::Lease lease, std::unique_ptr<transport::Transport> transport, std::unique_ptr<agent::Agent> agent)
        : lease_(std::move(lease)), transport_(std::move(transport)), agent_(std::move(agent)) {}
    Status check_nonce(const Op& op, proto::RootId root, bool create);
    Status judge_nonce(const Result<proto::Small>& found, bool create) const;
    [[nodiscard]] Error nothing_there() const;

    model::Lease lease_{};
    std::unique_ptr<transport::Transport> transport_{};
    std::unique_ptr<agent::Agent> agent_{};
    bool restarted_{false};
};

}  // namespace drawhitch::flow
