// What a run has made so far: the files of its roster on the box, grouped into units. Used by pull, verify and the
// gate, so that all of them mean the same files.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/op.hpp"
#include "core/model/run.hpp"
#include "core/plan/settle.hpp"
#include "core/plan/units.hpp"
#include "core/proto/file_entry.hpp"
#include "io/agent/agent.hpp"

namespace drawhitch::flow {

// The record and log of a run lie beside its work tree on the box. In manifests, receipts and pulled directories they
// stand under this name, so that they never meet a file of the job.
inline constexpr std::string_view k_run_prefix = "_run/";

// Paths of `entries` are those of manifests: relative to the work tree (plan::home_name), or k_run_prefix + name for
// record and log.
struct RunFiles {
    std::vector<proto::FileEntry> entries{};   // wanted regular files, in scan order
    std::vector<plan::Unit> units{};           // over `entries`
    std::vector<proto::FileEntry> left_out{};  // wanted by a pattern, but pipes, sockets, devices, links or unreadable
    std::vector<bool> being_written{};         // per entry: a process holds it open for writing
    std::vector<std::size_t> unmatched{};      // roster items that match nothing on the box, whatever its kind
    bool writers_known{false};                 // false: some processes could not be looked into
    std::int64_t box_seconds{0};               // the box's clock at the end of the scan
    // Of directories that are units, where they were asked for.
    std::map<std::string, plan::DirectoryTimes, std::less<>> directories{};
};

// A file's time as a box or this machine gives it.
WallTime wall_of(std::int64_t nanoseconds);

// Where a manifest path lies, relative to the run's directory on the box.
std::string box_path(std::string_view manifest_path);

// What of a run's files is looked for.
struct RunScan {
    const model::Roster& roster;
    bool scratch{false};      // also what the roster calls scratch
    bool directories{false};  // also the times of directories
};

// `root` is the run's directory (RunSpec::run_dir), opened on `agent`. Everything of the roster's patterns that is not
// scratch, and the run's record and log (must). No digests yet. Code::usage for a pattern that does not compile.
Result<RunFiles> scan_run_files(const Op& op, agent::Agent& agent, proto::RootId root, const RunScan& wanted);

// Which of the entries, by index; `rehash` leaves the box's cache aside.
struct DigestsOf {
    std::span<const std::size_t> which{};
    bool rehash{false};
};

// Fills in the root digest and SHA-256 of the chosen entries as the box has them now (from its cache, where that is
// safe). An entry that changed since the scan takes its new state; one that is gone gets type unknown;
// one that changes while it is hashed stays without digests.
Status add_digests(const Op& op, agent::Agent& agent, proto::RootId root, std::vector<proto::FileEntry>& entries,
                   const DigestsOf& wanted);

}  // namespace drawhitch::flow
