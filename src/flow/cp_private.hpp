// The private directory of a place on the box that `cp` writes into: whether this machine's `cp` made it, and its
// removal when all is done. Private to flow/cp*.cpp.
#pragma once

#include <string>

#include "flow/deps.hpp"
#include "flow/transfer/link.hpp"

namespace drawhitch::flow {

// Asked before anything is claimed. True where none is there, and where the ledger tells that an earlier `cp` of this
// lease, interrupted since, made the one that is. Never in the root of a project, marked or known to the ledger.
// `directory` is absolute and need not exist. Codes: of the connection and of the ledger.
Result<bool> makes_private(const Op& op, Deps& deps, agent::Agent& agent, std::int64_t lease,
                           const std::string& directory);

// Removes it with the claim, unless anything else lives in it or anybody else is at work there; that is no failure.
// Connects once more where `link` is lost.
void remove_private(const Op& op, Link link, const Dial& dial);

}  // namespace drawhitch::flow
