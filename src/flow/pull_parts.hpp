// The steps of a pull, each a function of its own. Private to flow/pull*.cpp.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/plan/manifest.hpp"
#include "core/plan/pull.hpp"
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
    std::int64_t box_seconds{0};
};

// Code::not_found when a pattern meets none of the files: a slip of the pen must not pass for a declaration.
Status check_declared(const RunFiles& files, const model::Roster& declared);

// Applies classes, patterns and --newest, unit by unit: a half unit is worth nothing.
Result<Selection> select_units(RunFiles files, const PullOptions& options);

// Which of the wanted files lie in `root` with the same size, and their digests.
Result<std::map<std::string, plan::LocalFile>> local_files(const Op& op, const disk::Root& root,
                                                           const std::vector<proto::FileEntry>& entries);

// True for a file that was written shortly before the scan, by the box's clock.
bool is_young(const proto::FileEntry& entry, std::int64_t box_seconds);

// Why a name can never be landed; empty if it can.
std::string name_problem(std::string_view path);

// Structure checks of all files that are here, then which units are proven as a whole; `report.problem` from both.
Status certify_units(const Op& op, const disk::Root& root, const Selection& selection, PullReport& report);

// MANIFEST.json and SHA256SUMS in `root`: what earlier pulls proved and is still here, with what this one did.
Status write_records(const disk::Root& root, const plan::ManifestHead& head, const PullReport& report);

}  // namespace drawhitch::flow
