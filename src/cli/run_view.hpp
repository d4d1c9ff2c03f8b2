// How runs look, shared by run, ps, watch and stop-run. Values in, cells and lines out.
#pragma once

#include <string>
#include <vector>

#include "flow/run/poll.hpp"
#include "io/term/table.hpp"

namespace drawhitch::term {
class Output;
}

namespace drawhitch::cli {

// data.runs[] {box, run, verdict, exit_code, signal, cause, since, progress, evidence[]}.
const std::vector<term::Column>& run_columns();
term::Row run_row(const std::string& box, const flow::RunView& view, WallTime now);
// The same with the moment the change was seen before it: data.changes[] {at, box, run, …} of watch.
const std::vector<term::Column>& change_columns();
term::Row change_row(const std::string& box, const flow::RunView& view, WallTime now);
// A fact as people read it: behind each moment in it stands how long ago that is.
std::string with_ages(const std::string& fact, WallTime now);

// The table of runs, and for people the evidence below it when asked for.
void show_runs(term::Output& out, const std::string& box, const std::vector<flow::RunView>& runs, WallTime now,
               bool evidence);

// What a failed or stalled run is told as, besides its rows; nothing when none failed. E-JOBFAILED stands above
// E-JOBSTALLED.
std::optional<Error> job_error(const std::string& box, const std::vector<flow::RunView>& runs);

// Why the box was not asked, said beside rows that only the ledger vouches for.
Error from_ledger(Error why, const std::vector<flow::RunView>& runs);

// Of runs whose launch was interrupted before they began: says what that means, and adds the command that ends them.
void advise_unbegun(const Op& op, const std::string& box, const std::vector<flow::RunView>& runs,
                    std::vector<std::string>& next);

// "r1 RUNNING  step 20/100, loss 1.9": one line for people.
std::string run_line(const flow::RunView& view);

}  // namespace drawhitch::cli
