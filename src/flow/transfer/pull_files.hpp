// pull_files: fetches a list of files into a landing, over one or several connections.
#pragma once

#include "flow/transfer/pull_types.hpp"
#include "io/disk/landing.hpp"

namespace drawhitch::flow {

// Blocks until every item has its result, or nothing can go on (`stopped`: link gone for good, disk full, cancelled);
// what had arrived by then stays for the next attempt. `first` is an open connection to begin with; more are made with
// `dial`. Free bytes and inodes are checked before the first request. Files are in place and on disk when it returns.
PullOutcome pull_files(const Op& op, Links links, disk::Landing& landing, std::vector<PullItem> items,
                       const PullLimits& limits, const GroupsDone& done = {});

}  // namespace drawhitch::flow
