// What `cp` brought to a box or took from it, and is still the same there. Reads only. Private to flow/down.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/judge/tier_map.hpp"
#include "core/judge/undeclared.hpp"
#include "flow/down/roots.hpp"

namespace drawhitch::flow {

struct Copied {
    std::map<std::string, std::set<std::string>> roots{};  // digests by path, absolute on the box
    std::set<std::string> written{};                       // directories that `cp` wrote into
};

// `leases` are ids in the ledger. Codes: cancelled, deadline, those of the ledger.
Result<Copied> read_copied(const Op& op, Deps& deps, const std::vector<std::int64_t>& leases);

// Explains such files by their content, which the box reads again, and what lies unfinished where `cp` wrote. A place
// that cannot be looked at explains nothing; an Error is a lost connection, a cancel or a deadline.
Status explain_copied(const Op& op, BoxRoots& roots, const judge::TierMap& tiers, const Copied& copied,
                      judge::Explanations& why);

}  // namespace drawhitch::flow
