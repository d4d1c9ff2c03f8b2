// Starting a run: exactly once, in a work tree of its own, in a way that outlives the connection, confirmed from a
// second one.
#pragma once

#include <functional>
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
    std::string release{"@current"};  // tree hash, proven on the box; "@current": what was pushed last, unproven
    std::string gpus{};               // plan::gpu_list; empty: all
    bool share_gpus{false};
    int ranks{1};           // processes the command starts, for the thread share
    bool unbuffered{true};  // PYTHONUNBUFFERED
    bool scratch{false};    // nobody needs its outputs
    // The caller's own command with this name, for `next`; empty where it cannot be typed again.
    std::function<std::string(const std::string& name)> under_name{};
};

struct LaunchReport {
    model::Run run{};
    model::Verdict verdict{};         // as the second connection saw it
    bool confirmed{false};            // false: it was started, but nobody looked yet
    bool found{false};                // an earlier call with the same words had started it; this one started nothing
    std::string threads{};            // the thread share, in words
    std::vector<std::string> kept{};  // links and persistent names that the code has itself
};

// The name is claimed in the ledger before anything is sent. A launch that was killed or lost its connection leaves the
// claim, which `ps` sees; the same call again goes on with it (without a name: with the oldest claim of the same words
// that was never seen to start), finds the job if it lives, and starts none twice.
//
// Codes besides the connection's: usage, exists (a run of that name, or its GPUs are taken: `next` tells), not_found
// (nothing was pushed), no_space, permission, host_key (another lease's box), locked, remote_failed (it did not start).
Result<LaunchReport> launch(const Op& op, Deps& deps, const model::Lease& lease, const LaunchOptions& options);

// What is wrong with the options, as far as the laptop can tell: nothing is sent and nothing is claimed.
// Code::usage; Code::exists for a name whose run has started.
Status check_launch(const Deps& deps, const model::Lease& lease, const LaunchOptions& options);

// The wrapper as it would be written, for `run --dry-run`: nothing is sent. No value of a variable is in it.
Result<std::string> launch_preview(const model::Lease& lease, const LaunchOptions& options);

}  // namespace drawhitch::flow
