// The steps of a pull, each a function of its own. Private to flow/pull*.cpp.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/plan/manifest.hpp"
#include "core/plan/pull.hpp"
#include "core/plan/settle.hpp"
#include "flow/pull.hpp"
#include "flow/run_files.hpp"
#include "io/disk/landing.hpp"

namespace drawhitch::flow {

// A run's files narrowed to what this pull is about: `units` index into `entries`.
struct Selection {
    std::vector<proto::FileEntry> entries{};
    std::vector<bool> being_written{};
    std::vector<plan::Unit> units{};
    std::vector<proto::FileEntry> left_out{};
    std::vector<model::RosterItem> unmatched{};  // of the roster, or the user's own patterns, if there are any
    std::int64_t box_seconds{0};
};

// A row of the report for a file of a unit, before anything is known about it here.
PulledFile file_of(const proto::FileEntry& entry, const plan::Unit& unit);
void take_digests(PulledFile& file, const proto::Digest& root, const proto::Digest& sha256);

// What whoever follows a run remembers from one pull to the next.
struct Followed {
    plan::SettleWatch watch{};
    std::map<std::string, proto::Digest, std::less<>> done{};      // units by name, in the state that was pulled
    std::map<std::string, proto::Digest, std::less<>> selected{};  // those of the pull at work
    std::optional<milliseconds> again_in{};                        // when another unit may have settled
};

// Of what a pull would take, what it takes now. Empty functions take all.
struct UnitTests {
    std::function<bool(const plan::Unit&)> settled{};   // asked before --newest is applied
    std::function<bool(const plan::Unit&)> not_done{};  // asked after it
};

// The tests of a pull that follows a run. They refer to `followed`, and note there what is selected.
UnitTests settled_tests(const RunFiles& files, Followed& followed);

// After such a pull: what needs not be pulled again in the same state.
void note_done(const PullReport& report, Followed& followed);

// Code::not_found when a pattern meets none of the files: a slip of the pen must not pass for a declaration.
Status check_declared(const RunFiles& files, const model::Roster& declared);

// Applies classes, patterns and --newest, unit by unit: a half unit is worth nothing. Where there are patterns,
// --newest counts what they select; without, each series of numbered units on its own. The run's log and record never
// count. `roster` is the one that `files` were scanned with.
Result<Selection> select_units(RunFiles files, const model::Roster& roster, const PullOptions& options,
                               const UnitTests& tests = {});

// The run that a pull is about: the one of this name, or the lease's newest.
Result<model::Run> run_to_pull(const Deps& deps, const model::Lease& lease, const std::string& name);

// Which of the wanted files lie in `root` with the same size, and their digests.
Result<std::map<std::string, plan::LocalFile>> local_files(const Op& op, const disk::Root& root,
                                                           const std::vector<proto::FileEntry>& entries);

// True for a file that was written shortly before the scan, by the box's clock.
bool is_young(const proto::FileEntry& entry, std::int64_t box_seconds);

// Why a name can never be landed; empty if it can.
std::string name_problem(std::string_view path);

// Structure checks of the files of these units that are here, then the load test of each unit that is whole, then which
// of them are proven: into `report.units`, which has a place for each unit of the selection.
Status certify_units(const Op& op, const Deps& deps, const disk::Root& root, const Selection& selection,
                     std::span<const std::size_t> which, PullReport& report);

// What was certified earlier in this pull, and is under its name no more, is so no longer.
void uncertify_displaced(const disk::Root& root, const Selection& selection, PullReport& report);

// Why a pull whose units are all judged is not simply good.
std::optional<Error> problem_of(const PullReport& report, std::size_t left_out);

// MANIFEST.json and SHA256SUMS in `root`: what earlier pulls proved and is still here, with what this one did. The
// manifest also names what lies here and is damaged, as such; the sums do not.
Status write_records(const disk::Root& root, const plan::ManifestHead& head, const PullReport& report);

// The directories that a pull makes for itself: what it made goes again with this object, as far as it is empty.
class FreshDirectories {
  public:
    // To be made before the directory is. `path` is absolute.
    explicit FreshDirectories(const std::string& path);
    FreshDirectories(const FreshDirectories&) = delete;
    FreshDirectories& operator=(const FreshDirectories&) = delete;
    ~FreshDirectories();

  private:
    std::vector<std::string> made_{};  // the innermost first
};

// The command line that says what `options` say, for this box and run.
std::string pull_command(const PullOptions& options, const std::string& box, const std::string& run);

// "a, b" of patterns or names, each quoted and printable.
std::string quoted_list(const std::vector<std::string>& words);

// Says beside each damaged file which whole unit stands in for it: one of this pull, or of an earlier pull of the run
// whose copy is still here. Codes: of the ledger, cancelled, deadline.
Status tell_stand_ins(const Op& op, const ledger::Ledger& ledger, std::int64_t run, PullReport& report);

// For a pull whose problem is damage on the box: where it can be looked at, and how it is given
// up. Leaves the problem as it is when no file of the report is damaged.
void advise_damaged(Error& problem, const std::string& box, const model::RunSpec& spec, const PullReport& report);

// What is wrong when a run has no roster, or some of it matches nothing; the next step with it.
std::optional<Error> unmatched_problem(const std::string& box, const model::RunSpec& spec, const PullOptions& options,
                                       const std::vector<model::RosterItem>& unmatched);
// True where the pull is about a roster, and nobody wrote one.
bool has_no_roster(const model::RunSpec& spec, const PullOptions& options);

}  // namespace drawhitch::flow
