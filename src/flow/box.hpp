// Box: one live connection to a lease's box with its helper running, for the length of a flow. Poll again = connect
// again: connections are short.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/model/root_facts.hpp"
#include "flow/deps.hpp"
#include "io/agent/agent.hpp"
#include "io/transport/transport.hpp"

namespace drawhitch::flow {

// What a root says about whose it is, by the file under it that holds a lease's nonce.
enum class RootMark {
    ours,
    none,     // none there, and none was ever seen there: nothing was pushed yet
    missing,  // it was there: the disk was wiped, swapped or is not mounted, or this is another machine
    foreign,  // another lease's
};

// How a flow connects.
struct Connecting {
    // The flow has a connection already, or is just making it: nothing is installed and nothing noted.
    bool beside{false};
    transport::Milestones milestones{};
};

class Box {
  public:
    // Connects, starts the helper (installing it if needed) and notes in the ledger that the box answered: contact,
    // boot id, helper place. Code::host_key when another machine answers, also when the host key fits but the root's
    // nonce does not (a cloned disk image carries its keys along). Codes: those of Connector and Agent::connect. Does
    // not retry.
    static Result<Box> connect(const Op& op, Deps& deps, const model::Lease& lease, const Connecting& how = {});

    // Whether a helper of our build is where a connection looks first, as far as the lease knows.
    static bool expects_helper(const Deps& deps, const model::Lease& lease);

    // Opens the lease's root and, for flows that change it, claims it. Code::not_found when there is no root yet and
    // `create` is false; Code::host_key when its mark is missing or another's: nothing is made anew then.
    Result<proto::RootId> open_root(const Op& op, bool create);
    // The first claim of a lease tries out what the root's file system can do, in the flight of its last question, and
    // keeps the answer with the lease; so does the first one after a restart of the box, or of a root made anew.
    Result<agent::Claim> claim_root(const Op& op, bool create, const agent::ClaimOptions& options);

    // Opens the root and asks questions about it that change nothing, all in one flight: a round trip instead of three.
    // `ask` queues requests that have one answer each on the session and returns their numbers; the answers (refusals
    // included) come back in that order. The root's mark is checked before they are returned, and before they are asked
    // when the box restarted since we knew it. Codes as for open_root.
    using Ask = std::function<std::vector<std::uint32_t>(agent::Session& session, proto::RootId root)>;
    Result<std::vector<agent::Incoming>> ask_root(const Op& op, const Ask& ask);

    // Whose the root is, for whoever has to go on either way. Errors are the connection's and the ledger's, and those
    // of a root that cannot be read.
    Result<RootMark> mark(const Op& op);
    // How to go on with a box whose disk is known to have been wiped, as a command to type.
    [[nodiscard]] std::string begin_anew() const;

    [[nodiscard]] const model::Lease& lease() const { return lease_; }
    // What was found out then; nothing where it never was, or could not be.
    [[nodiscard]] std::optional<model::RootFacts> root_facts() const;
    [[nodiscard]] agent::Agent& agent() { return *agent_; }
    // For scripts on the same connection, where the transport allows a second channel.
    [[nodiscard]] transport::Transport& transport() { return *transport_; }
    // True when the boot id differs from the one the ledger knew: the box restarted since.
    [[nodiscard]] bool restarted() const { return restarted_; }

  private:
    Box(ledger::Ledger& ledger, model::Lease lease, std::unique_ptr<transport::Transport> transport,
        std::unique_ptr<agent::Agent> agent)
        : ledger_(&ledger), lease_(std::move(lease)), transport_(std::move(transport)), agent_(std::move(agent)) {}
    [[nodiscard]] bool knows_root() const;
    Status learn_root(const Op& op, const Result<proto::RootProbed>& probed);
    Result<std::vector<agent::Incoming>> flight(const Op& op, const std::vector<std::uint32_t>& numbers);
    Result<bool> was_marked() const;
    Result<RootMark> mark_of(const Result<proto::Small>& found);
    Status check_mark(const Op& op, proto::RootId root);
    Status refuse(RootMark mark) const;
    [[nodiscard]] Error nothing_there() const;

    ledger::Ledger* ledger_{nullptr};
    model::Lease lease_{};
    std::unique_ptr<transport::Transport> transport_{};
    std::unique_ptr<agent::Agent> agent_{};
    bool restarted_{false};
};

}  // namespace drawhitch::flow
