// explain_releases: which files below the root's releases are code as it was deployed. Everything else there is as
// undeclared as any other file. Reads only. Private to flow/down.
#pragma once

#include <cstdint>
#include <vector>

#include "core/judge/undeclared.hpp"
#include "flow/down/roots.hpp"

namespace drawhitch::flow {

// `leases`: all that worked under this root, whose manifests count. A release that cannot be looked into explains
// nothing; an Error is one that ends the whole look.
Status explain_releases(const Op& op, Deps& deps, BoxRoots& roots, const model::Lease& lease,
                        const std::vector<std::int64_t>& leases, judge::Explanations& why);

}  // namespace drawhitch::flow
