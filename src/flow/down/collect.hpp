// Collecting what the gate asks: every fact about a box and its runs, looked at now. Reads only; nothing on the box is
// changed. Private to flow/down.
#pragma once

#include "core/judge/gate.hpp"
#include "core/model/profile.hpp"
#include "flow/deps.hpp"
#include "flow/run/poll.hpp"

namespace drawhitch::flow {

struct Collected {
    judge::GateFacts facts{};
    std::vector<model::Run> runs{};
    WallTime looked_at{};  // when the looking began, by the laptop's clock
};

// A box that does not answer is told in the facts, as is whatever could not be looked at. Codes: host_key, auth and
// other refusals of the connection that waiting does not cure; cancelled, deadline; those of the ledger.
Result<Collected> collect(const Op& op, Deps& deps, const model::Lease& lease, const model::Profile& profile,
                          const judge::Waivers& waivers);

}  // namespace drawhitch::flow
