// Starting a run: exactly once, in a work tree of its own, in a way that outlives the connection, confirmed from a
// second one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/run.hpp"
#include "core/plan/run_environment.hpp"
#include "flow/deps.hpp"

namespace drawhitch::flow {

struct LaunchOptions {
    std::string name{};  // plain name; empty: r1, r2 …
    std::vector<std::string> command{};
    model::Roster roster{};
    plan::Variables variables{};  // the user's own, secrets included
    std::string activate{};
    std::string release{"@current"};  // tree hash, "@current" for what was pushed last
    std::string gpus{};               // plan::gpu_list; empty: all
    bool share_gpus{false};
    int ranks{1};           // processes the command starts, for the thread share
    bool unbuffered{true};  // PYTHONUNBUFFERED
    bool scratch{false};    // nobody needs its outputs
};

struct LaunchReport {
    model::Run run{};
    model::Verdict verdict{};         // as the second connection saw it
    bool confirmed{false};            // false: it was started, but nobody looked yet
    std::string threads{};            // the thread share, in words
    std::vector<std::string> kept{};  // links and persistent names that the code has itself
};

// Codes besides the connection's: usage, exists (a run of that name, or its GPUs are taken: `next` tells), not_found
// (nothing was pushed), no_space, permission, host_key (another lease's box), locked, remote_failed (it did not start).
// A connection lost after the start was asked for leaves the claim in the ledger: the next `ps` tells what became of
// it.
Result<LaunchReport> launch(const Op& op, Deps& deps, const model::Lease& lease, const LaunchOptions& options);

// The wrapper as it would be written, for `run --dry-run`: nothing is sent. No value of a variable is in it.
Result<std::string> launch_preview(const model::Lease& lease, const LaunchOptions& options);

}  // namespace drawhitch::flow
