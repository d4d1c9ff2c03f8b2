// Watching the runs of a lease: short connections, one after the other, until there is nothing left to wait for. A link
// that blinks changes no job's state; every wait is bounded.
#pragma once

#include <functional>
#include <string>

#include "flow/run/poll.hpp"

namespace drawhitch::flow {

struct WatchOptions {
    std::string run{};              // empty: those not ended yet, also those started meanwhile; or else the newest
    milliseconds every{15'000};     // between two looks
    bool once{false};               // one look
    bool until_done{false};         // wait on while the box does not answer, however long
    milliseconds give_up{600'000};  // without `until_done`: how long a box may tell nothing about what is waited for
    PollOptions poll{};
};

// Told after every look. `changed`: some verdict or progress differs from the look before.
using WatchSink = std::function<void(const RunsView& view, bool changed)>;

// Returns the last view: when every run has ended (DONE-BUT-UP counts: its record says 0) or never began, or the box
// told nothing for too long. A look that found nothing new is told by a heartbeat event. One watcher per lease:
// Code::locked names the other one. Code::not_found when there is no run to watch. Errors that no waiting cures (auth,
// host key) end it.
Result<RunsView> watch_runs(const Op& op, Deps& deps, const model::Lease& lease, const WatchOptions& options,
                            const WatchSink& sink);

// 0 when all went well; 12 when a run failed or left no artifacts, 13 when one stalled, 5 when nothing is known; the
// worst of all runs counts, in this order: 12, 13, 5.
int exit_code_of(const std::vector<RunView>& runs);

}  // namespace drawhitch::flow
