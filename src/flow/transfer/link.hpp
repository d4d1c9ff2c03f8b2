// Link: one connection of a transfer, with its root opened (and claimed, for pushes). Made by a Dial, which the flow
// supplies; the engines reconnect through it and know nothing about leases.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "base/op.hpp"
#include "base/retry.hpp"
#include "io/agent/agent.hpp"

namespace drawhitch::flow {

struct Link {
    std::shared_ptr<void> owner{};  // keeps alive what `agent` points into
    agent::Agent* agent{nullptr};
    proto::RootId root{0};
    std::optional<agent::Claim> claim{};
};

// Connects once; no retries inside. Called from the engines' threads, one call at a time per thread.
using Dial = std::function<Result<Link>(const Op&)>;

// Where a transfer's connections come from: the one that is open already, if any, then those that are dialled. `dial`
// outlives the transfer.
struct Links {
    const Dial& dial;
    std::optional<Link> first{};
};

// How hard a transfer tries to keep its connection. The count starts anew whenever a new connection moved data.
struct Persistence {
    RetryPolicy policy{.max_attempts = 8, .base = milliseconds{500}, .cap = milliseconds{15'000}, .factor = 2.0};
};

// True for failures of a connection that a new one may not have: cut, stalled, refused for the moment.
bool is_worth_reconnecting(const Error& error);

// What keep_linked needs of the work it serves.
class LinkedWork {
  public:
    virtual ~LinkedWork() = default;
    [[nodiscard]] virtual bool over() const = 0;
    // Works over this connection until everything is over or it fails.
    virtual Status serve(const Op& op, Link& link) = 0;
    // The connection is gone. Returns true if it had moved anything since it was made.
    virtual bool unlinked(const agent::Traffic& traffic) = 0;
    // A connection is there again after one was lost.
    virtual void relinked() = 0;
};

// Serves `work` over `link` or a new connection until it is over, connecting again with back-off after failures that a
// new connection may not have. A first connection that cannot be made is not tried again: its error says what is wrong.
Status keep_linked(const Op& op, const Dial& dial, const Persistence& persistence, std::optional<Link> link,
                   LinkedWork& work);

// Bytes that crossed the channel, summed over the connections of a transfer.
struct Wire {
    std::uint64_t sent{0};
    std::uint64_t received{0};
    std::uint32_t connections{0};
};
void add(Wire& total, const agent::Traffic& traffic);
void add(Wire& total, const Wire& more);

// A look at the box that may be taken again from its start: it must not keep anything of a first one that failed.
using Look = std::function<Status(const Op&, Link&)>;

struct Looked {
    Link link{};                  // the one that `look` succeeded over
    Wire lost{};                  // what crossed the links that failed
    std::uint32_t reconnects{0};  // how often one was replaced
};

// Takes `look` over `link` or a new connection, and again over a new one, with back-off, where the connection fails.
// As with keep_linked, a first connection that cannot be made is not tried again; one that breaks off while it is made
// is, twice.
Result<Looked> look_linked(const Op& op, const Dial& dial, const Persistence& persistence, std::optional<Link> link,
                           const Look& look);

// What the helper did against the protocol: "the helper sent no digest".
Error broken_helper(std::string what);

}  // namespace drawhitch::flow
