// pull: brings home what a run has made, proves it, and writes the receipt.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/roster.hpp"
#include "core/model/run.hpp"
#include "core/parse/name_collisions.hpp"
#include "core/plan/pull_cost.hpp"
#include "core/plan/pull_order.hpp"
#include "core/plan/units.hpp"
#include "flow/deps.hpp"
#include "flow/load_test.hpp"
#include "flow/transfer/pull_types.hpp"
#include "io/disk/set_aside.hpp"

namespace drawhitch::flow {

struct PullOptions {
    std::string box{};                          // as lease_to_read takes it
    std::string run{};                          // empty: its newest run
    std::vector<std::string> patterns{};        // parse::Glob; empty: all of the roster
    std::vector<model::RosterClass> classes{};  // empty: must and nice
    model::Roster declare{};                    // added to the run's roster for good, if each pattern matches something
    int newest{0};                              // only so many (select_units says of what); 0: all
    std::vector<std::string> first{};           // parse::Glob: directories with a file of it are brought before others
    std::string to{};                           // absolute; empty: <project>/<pull.dir>/<lease>/<run>
    bool all{false};                            // every file of the work directory, whatever the roster says
    bool rehash{false};                         // the box reads its files anew for comparing
    // How names behave where they land; unset: found out there. For results that go on to another disk later.
    std::optional<parse::NameRules> names{};
    // How often, at most, directories that are complete get their receipt while others are still fetched.
    milliseconds record_every{1000};
};

struct PulledFile {
    model::ManifestEntry entry{};
    std::uint32_t mode{0644};
    FileState state{FileState::skipped};
    model::Structure structure{model::Structure::not_checked};
    std::string why{};       // of a state or structure that is not good, or why the structure could not be judged
    std::string stand_in{};  // model::words_of what is whole in place of a damaged one; part of `why`, too
    Code code{Code::skipped};
    bool planned{false};      // --dry-run: it would be fetched
    bool load_failed{false};  // it is here as on the box, and the user's own load test says that it is bad
    bool certified{false};    // its whole unit is proven: it is in the receipt
};

struct PulledUnit {
    std::string name{};
    plan::UnitKind kind{};
    model::RosterClass wanted{model::RosterClass::must};
    bool proven{false};
    // What the user's own load test said, where there is one and the rest of the unit was proven.
    Loading loading{Loading::passed};
    bool rotated{false};  // the job removed it while we pulled: no failure
    std::string why{};
    std::uint64_t files{0};
    std::uint64_t bytes{0};
};

// A directory of the laptop with a proven copy of some of what a pull would fetch.
struct ElsewhereCopy {
    std::string directory{};  // absolute
    std::uint64_t files{0};   // of those that this pull fetches, log and record aside
    std::uint64_t bytes{0};
};

struct PullReport {
    std::string lease{};
    std::string run{};
    std::string directory{};  // absolute
    std::vector<PulledFile> files{};
    std::vector<PulledUnit> units{};
    std::vector<plan::PullDirectory> directories{};  // in the order in which they were brought; `units` are those above
    std::vector<proto::FileEntry> left_out{};        // wanted, but links, pipes, sockets, devices or unreadable
    std::vector<model::RosterItem> unmatched{};      // what was expected and is not on the box; classes must and nice
    std::vector<disk::MovedAside>
        moved_aside{};      // files of the user's; relative to the directory; planned in a dry run
    bool no_roster{false};  // nobody said what the run must leave behind
    // All that this pull proved. Directories that were complete earlier than others may have a receipt of their own in
    // the ledger; this has the files of all of them, and the last one's number. None if nothing was proven.
    std::optional<model::Receipt> receipt{};
    std::vector<ElsewhereCopy> elsewhere{};  // told before anything is fetched
    PullTally tally{};
    plan::PullCost cost{};           // of what had to be fetched, as it was known before
    std::uint64_t based_files{0};    // of those to be fetched: may come as differences to an earlier one
    std::uint64_t planned_bytes{0};  // that had to be fetched
    std::uint64_t held_bytes{0};  // what an interrupted pull left here of that; in a dry run planned_bytes is without
    // Why the pull is not simply good, worst first: it stopped, something is damaged, something was left out.
    std::optional<Error> problem{};
};

// Scans the run on the box, compares with what is here, fetches the rest, checks hashes and structure, writes
// MANIFEST.json and SHA256SUMS beside the files and the receipt into the ledger, directory by directory as they become
// complete: whatever happens to one, or to this process, those before it are proven. An interrupted pull is taken up
// again by the same call. Where a pull of the run worked before, a file that is not as a pull of it left it is the
// user's: it is moved aside when another lands under its name. In any other directory such a file ends the pull before
// it begins (Code::exists), as does one that a pull of another run wrote. An Error means nothing was fetched; troubles
// with some files are in `problem`.
Result<PullReport> pull(const Op& op, Deps& deps, const PullOptions& options);

// The name of the private directory below `.drawhitch` in which pulls of this run work: the same for the same run, so
// that a pull resumes by itself.
std::string pull_landing_id(const model::Lease& lease, const model::Run& run);

// Where pulls of this run land unless told otherwise: <pull.dir>/<box>/<run>. A later lease that took an ended one's
// name has a directory of its own, <box>@<lease>, so that runs of one name never meet in one place. Codes: of the
// ledger.
Result<std::string> default_pull_directory(const Deps& deps, const model::Lease& lease, const std::string& run);

}  // namespace drawhitch::flow
