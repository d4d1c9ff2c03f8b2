// down: ends a lease, once everything that must be kept is proven (docs/gate.md). Looks, shows the plan, asks, deletes
// the secrets, and only then ends or says what to end by hand. A closed gate is never asked about.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/judge/gate.hpp"
#include "core/model/lease.hpp"
#include "flow/deps.hpp"

namespace drawhitch::flow {

// What is about to happen, before anything is asked. `currency` is the lease's.
struct DownPlan {
    const model::Lease& lease;
    const judge::Gate& gate;
};

struct DownOptions {
    std::vector<std::string> lose{};       // absolute paths on the box
    std::vector<std::string> kill_runs{};  // names of runs
    std::vector<std::string> accept{};     // rules
    std::string confirm{};                 // the box's name, typed on the command line instead of being asked
    std::function<void(const DownPlan& plan)> show{};  // called before each question, and when the gate is closed
};

enum class EndState {
    not_asked,    // the gate is closed, or only a plan was wanted: nothing was changed
    unconfirmed,  // the end was asked for, and is not proven: it may still bill
    ended,        // proven, or nothing was rented
};
// "not-asked", "unconfirmed", "ended".
std::string_view name_of(EndState state);

struct DownReport {
    model::Lease lease{};
    judge::Gate gate{};
    EndState state{EndState::not_asked};
    std::vector<std::string> proof{};    // why the state is said to be so
    std::string by_hand{};               // what the user has to do now; empty: nothing
    std::vector<std::string> removed{};  // secrets deleted from the box
    std::vector<std::string> kept{};     // secrets that could not be deleted
    std::string report_file{};           // report.json; report.md lies beside it. Empty: none was written
};

// Codes: usage (a --lose path that is none, or nobody to ask), gate_closed (the answer was no), config (the profile
// kept with the lease cannot be read), locked, host_key, auth and the like of the connection, those of stop_run for
// --kill-run, of the ledger. A closed gate is no Error: it is in the report.
Result<DownReport> down(const Op& op, Deps& deps, const model::Lease& lease, const DownOptions& options);

}  // namespace drawhitch::flow
