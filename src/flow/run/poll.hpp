// One look at the runs of a lease: one short connection, one probe, and a verdict for each run. Records what changed in
// the ledger. Retries nothing; whoever polls again decides when.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/model/run.hpp"
#include "core/model/run_facts.hpp"
#include "flow/deps.hpp"

namespace drawhitch::flow {

struct PollOptions {
    std::chrono::seconds stall_after{1800};
    milliseconds patience{20'000};        // for the whole look, the connection included
    transport::Transport* over{nullptr};  // a connection that is there already; null: one of its own
    bool always{false};                   // view_runs: ask the box also where no run can have changed, and keep what it
                                          // refuses beside what is known
};

// One run as it is known now.
struct RunView {
    model::Run run{};  // as the ledger has it after this look
    model::Verdict verdict{};
    std::optional<model::RunFacts> facts{};  // absent when the box was not asked about it
    bool never_began{false};  // the box was asked: its launch was interrupted, and waiting shows nothing new
};

// How far a job was when it was last looked at, as the ledger knows.
struct KnownProgress {
    std::string text{};            // "step 293/400"; empty: nothing was ever seen
    std::optional<WallTime> at{};  // when a look first saw that; by this machine's clock
};
Result<KnownProgress> known_progress(const ledger::Ledger& ledger, const model::Run& run);

// Asks the box about the given runs. Codes: those of the connection, protocol. A timeout of the look itself is
// Code::timed_out.
Result<std::vector<RunView>> poll_runs(const Op& op, Deps& deps, const model::Lease& lease,
                                       std::vector<model::Run> runs, const PollOptions& options = {});

// What can be said without an answer: proven ends stay, everything else is UNREACHABLE since the last contact.
std::vector<RunView> unreachable_runs(const model::Lease& lease, std::vector<model::Run> runs, const Error& error);

struct RunsView {
    std::vector<RunView> runs{};         // the ledger's order
    std::optional<Error> unreachable{};  // why the box could not be asked
    std::optional<Error> refused{};      // with `always`: the same, where waiting does not help (another key, no login)
};
// All runs of the lease, or the one named: those that have ended come from the ledger, the box is asked about the rest.
// Code::not_found for an unknown name. A box that does not answer is no Error here; one that refuses us, or proves to
// be another, is, unless `always` asks for both.
Result<RunsView> view_runs(const Op& op, Deps& deps, const model::Lease& lease, const std::string& name,
                           const PollOptions& options = {});

// True for errors that say "no answer from the box", and nothing about the runs.
bool is_unreachable(const Error& error);
// True when the box was not asked because it let nobody in, or is not the one we know.
bool is_refused(const Error& error);

}  // namespace drawhitch::flow
