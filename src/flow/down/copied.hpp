// What `cp` brought to a box or took from it, and is still the same there. Reads only. Private to flow/down.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/exchange/copied_json.hpp"
#include "core/judge/tier_map.hpp"
#include "core/judge/undeclared.hpp"
#include "flow/down/roots.hpp"
#include "flow/dying_places.hpp"

namespace drawhitch::flow {

struct Copied {
    // By path, absolute on the box: each digest it had, and where on the laptop the same bytes lay, in which state.
    using Places = std::map<std::string, exchange::CopiedState>;
    std::map<std::string, std::map<std::string, Places>> roots{};
    std::set<std::string> written{};  // directories that `cp` wrote into
};

// `leases` are ids in the ledger. Codes: cancelled, deadline, those of the ledger.
Result<Copied> read_copied(const Op& op, Deps& deps, const std::vector<std::int64_t>& leases);

// What dies.
struct Dying {
    const judge::TierMap& tiers;
    DyingPlaces& here;  // as seen from the laptop
    bool rehash{true};  // the box leaves its digest cache aside
};

// Explains such files by their content and what lies unfinished where `cp` wrote. A file of the laptop in the very
// state in which `cp` knew it is not read again; the box reads all again, except in a dry run, which destroys nothing:
// then its digest cache will do. A file whose copy on the laptop is gone, is another now, or dies with the box is as
// undeclared as any. A place that cannot be looked at explains nothing; an Error is a lost connection, a cancel or a
// deadline. The answer: lines for the plan, which copy stands for which file, and which does no more.
Result<std::vector<std::string>> explain_copied(const Op& op, BoxRoots& roots, const Dying& dying, const Copied& copied,
                                                judge::Explanations& why);

}  // namespace drawhitch::flow
