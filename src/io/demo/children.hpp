// Children of this process: run one to its end, or end all that descend from us. Only processes below our own pid are
// ever signalled.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/op.hpp"

namespace drawhitch::demo {

struct Finished {
    int exit_code{0};      // 128 + signal when a signal ended it
    std::string output{};  // stdout and stderr together, at most 1 MiB
};

// "NAME=value" strings that replace or join our own environment for a child.
using Environment = std::vector<std::string>;

// Runs `argv` (found through PATH) with stdin from /dev/null and waits for it. Cancel sends it SIGTERM.
Result<Finished> run_to_end(const Op& op, const std::vector<std::string>& argv, const Environment& extra = {});

// The same with our own stdout and stderr, for a person to watch; returns the exit code (128 + signal).
Result<int> run_watched(const Op& op, const std::vector<std::string>& argv, const Environment& extra);

// From now on processes whose parent dies become our children instead of init's (Linux; elsewhere nothing happens), so
// that end_descendants finds the detached ones, too.
void adopt_orphans();

// TERM, a moment of grace, then KILL for every process below us.
void end_descendants(Clock& clock);

}  // namespace drawhitch::demo
