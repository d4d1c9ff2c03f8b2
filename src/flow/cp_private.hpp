// The private directory of a place on the box that `cp` writes into: whether this machine's `cp` made it, and its
// removal when all is done. Private to flow/cp*.cpp.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/proto/file_entry.hpp"
#include "flow/deps.hpp"
#include "flow/transfer/link.hpp"

namespace drawhitch::flow {

// What makes_private wants to know about, relative to the place.
std::vector<std::string> private_names();

// Asked before anything is claimed. True where none is there, and where the ledger tells that an earlier `cp` of this
// lease, interrupted since, made the one that is. Never in the root of a project, marked or known to the ledger.
// `directory` is absolute; `found` is what the box says of private_names() there, empty where it does not exist. Codes:
// of the ledger.
Result<bool> makes_private(const Op& op, Deps& deps, std::int64_t lease, const std::string& directory,
                           std::span<const proto::FileEntry> found);

// Removes it with the claim, unless anything else lives in it or anybody else is at work there; that is no failure.
// Connects once more where `link` is lost.
void remove_private(const Op& op, Link link, const Dial& dial);

}  // namespace drawhitch::flow
