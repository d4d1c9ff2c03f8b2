// What `cp` brought to a box or took from it, and is still the same there. Reads only. Private to flow/down.
#pragma once

#include <cstdint>
#include <vector>

#include "core/judge/tier_map.hpp"
#include "core/judge/undeclared.hpp"
#include "flow/down/roots.hpp"

namespace drawhitch::flow {

// Explains such files by their content, which the box reads again; also names the directories that `cp` wrote into.
// `leases` are ids in the ledger. A place that cannot be looked at explains nothing; an Error is a lost connection, a
// cancel or a deadline, or the ledger's.
Status explain_copied(const Op& op, Deps& deps, BoxRoots& roots, const judge::TierMap& tiers,
                      const std::vector<std::int64_t>& leases, judge::Explanations& why);

}  // namespace drawhitch::flow
