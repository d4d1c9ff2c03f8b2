// push_files: sends a list of local files to a claimed root, over one or several connections.
#pragma once

#include <vector>

#include "flow/transfer/fence.hpp"
#include "flow/transfer/push_types.hpp"

namespace drawhitch::flow {

// Blocks until every item is written and verified on the box, was found changed here, or nothing can go on (`stopped`).
// All links, the first one and those from `dial`, must be claimed by `fence`. Files appear under their targets one by
// one: give a directory that nobody uses yet. Large files go through parts in the root's private directory and resume
// there.
PushOutcome push_files(const Op& op, Links links, Fence& fence, const ReadPiece& read,
                       const std::vector<PushItem>& items, const PushLimits& limits);

// Bytes of the items that an interrupted push left below `directory` on the box, by the leaves of their parts. Reads
// the parts there and changes nothing. 0 where there is no such directory. Codes: of the connection.
Result<std::uint64_t> held_on_box(const Op& op, agent::Agent& agent, const std::string& directory,
                                  const std::vector<PushItem>& items);

}  // namespace drawhitch::flow
