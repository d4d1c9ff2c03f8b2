#include <sys/stat.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/text.hpp"
#include "core/parse/structure_set.hpp"
#include "flow/pull_parts.hpp"
#include "flow/structure_check.hpp"
#include "io/disk/write_atomic.hpp"

namespace drawhitch::flow {

namespace {

bool is_here(FileState state) {
    return state == FileState::pulled || state == FileState::kept || state == FileState::unsettled;
}

bool is_proven(const PulledFile& file) {
    return (file.state == FileState::pulled || file.state == FileState::kept) &&
           file.structure != model::Structure::broken;
}

// Here as it is on the box, and bad there.
bool is_damaged(const PulledFile& file) {
    return is_here(file.state) && (file.structure == model::Structure::broken || file.load_failed);
}

// The files of some units, by index.
std::vector<std::size_t> files_of(const Selection& selection, std::span<const std::size_t> units) {
    std::vector<std::size_t> files;
    for (const std::size_t unit : units)
        files.insert(files.end(), selection.units[unit].files.begin(), selection.units[unit].files.end());
    return files;
}

Status check_structures(const Op& op, const disk::Root& root, std::span<const std::size_t> which, PullReport& report) {
    for (const std::size_t index : which) {
        PulledFile& file = report.files[index];
        if (file.state != FileState::pulled && file.state != FileState::kept) continue;
        auto verdict = check_file_structure(op, root, file.entry.path);
        if (!verdict && (verdict.error().code == Code::cancelled || verdict.error().code == Code::deadline)) {
            return std::move(verdict).error();
        }
        // Moved away meanwhile: `find_displaced` tells.
        if (!verdict && !root.expect_file(file.entry.path, file.entry.size)) continue;
        if (!verdict) {
            file.state = FileState::failed;
            file.code = verdict.error().code;
            file.why = verdict.error().message;
            continue;
        }
        file.structure = verdict->state;
        const bool broken = verdict->state == model::Structure::broken;
        file.why = broken ? "damaged on the box itself: " + verdict->detail : std::move(verdict->detail);
    }
    return ok();
}

// What an index says of its shards is asked where all of the unit is here and right: a shard that did not arrive is no
// damage of the box's.
Status check_sets(const Op& op, const disk::Root& root, const plan::Unit& unit, PullReport& report) {
    const auto proven = [&](std::size_t index) { return is_proven(report.files[index]); };
    if (!unit.missing.empty() || !std::ranges::all_of(unit.files, proven)) return ok();
    for (const std::size_t index : unit.files) {
        PulledFile& file = report.files[index];
        if (!parse::tells_of_others(file.entry.path)) continue;
        const auto verdict = check_set_structure(op, root, file.entry.path);
        if (!verdict && (verdict.error().code == Code::cancelled || verdict.error().code == Code::deadline))
            return verdict.error();
        // Moved away meanwhile, or gone bad: the looks behind this one tell. Its own format was checked before.
        if (!verdict || verdict->state != model::Structure::broken) continue;
        file.structure = verdict->state;
        file.why = "damaged on the box itself: " + verdict->detail;
    }
    return ok();
}

// The last look before anything is certified. Files were written through open directories, and what counts is what
// their names lead to: whoever renames or links a directory while it is filled must not get a proof of it.
void find_displaced(const disk::Root& root, std::span<const std::size_t> which, PullReport& report) {
    const Status whole = root.expect_itself();
    for (const std::size_t index : which) {
        PulledFile& file = report.files[index];
        if (!is_here(file.state)) continue;
        const Status here = whole ? root.expect_file(file.entry.path, file.entry.size) : whole;
        if (here) continue;
        file.state = FileState::displaced;
        file.code = here.error().code;
        file.why = here.error().message;
    }
}

// What an index of the unit names and the unit does not have; empty: nothing. The files are here and proven.
std::string missing_by_index(const Op& op, const disk::Root& root, const plan::Unit& unit,
                             const std::vector<PulledFile>& files) {
    std::set<std::string_view> there;
    for (const std::size_t index : unit.files)
        there.insert(files[index].entry.path);
    for (const std::string_view path : there) {
        if (!parse::tells_of_others(path)) continue;
        for (const std::string& named : named_by(op, root, std::string{path}))
            if (!there.contains(named)) return named;
    }
    return {};
}

PulledUnit judge_unit(const Op& op, const disk::Root& root, const plan::Unit& unit,
                      const std::vector<PulledFile>& files) {
    PulledUnit judged{.name = unit.name, .kind = unit.kind, .wanted = unit.wanted, .proven = true};
    std::size_t vanished = 0;
    for (const std::size_t index : unit.files) {
        const PulledFile& file = files[index];
        ++judged.files;
        judged.bytes += file.entry.size;
        if (file.state == FileState::vanished) ++vanished;
        if (is_proven(file)) continue;
        judged.proven = false;
        if (judged.why.empty()) judged.why = printable(file.entry.path) + ": " + file.why;
    }
    if (vanished > 0) {
        judged.rotated = true;
        judged.why = "the job removed it while it was pulled";
        return judged;
    }
    const std::string missing =
        unit.missing.empty() && judged.proven ? missing_by_index(op, root, unit, files) : unit.missing;
    if (!missing.empty()) {
        judged.proven = false;
        judged.why = "incomplete on the box: " + printable(missing) + " is missing";
    }
    return judged;
}

Status load_unit(const Op& op, const Deps& deps, const plan::Unit& unit, PullReport& report, PulledUnit& judged) {
    if (!judged.proven || judged.rotated || !wants_load_test(deps, unit.name)) return ok();
    std::vector<model::ManifestEntry> files;
    for (const std::size_t index : unit.files)
        files.push_back(report.files[index].entry);
    TRY_ASSIGN(const LoadVerdict verdict, load_test_once(op, deps, report.directory, unit.name, files));
    judged.loading = verdict.state;
    if (verdict.state == Loading::passed) return ok();
    judged.proven = false;
    judged.why = verdict.why;
    for (const std::size_t index : unit.files) {
        report.files[index].why = verdict.why;
        report.files[index].load_failed = verdict.state == Loading::failed;
    }
    return ok();
}

void certify(const plan::Unit& unit, PullReport& report, PulledUnit& judged) {
    for (const std::size_t index : unit.files) {
        const PulledFile& file = report.files[index];
        if (file.state != FileState::displaced || !judged.proven) continue;
        judged.proven = false;
        judged.why = printable(file.entry.path) + ": " + file.why;
    }
    for (const std::size_t index : unit.files)
        report.files[index].certified = judged.proven && !judged.rotated;
}

// Files of earlier pulls that this one did not bring anew and that are still here, and what is still here of the user's
// that they moved aside.
plan::ManifestText earlier_manifest(const disk::Root& root, const std::set<std::string_view>& brought) {
    const auto text = disk::read_whole(root, plan::k_manifest_name, plan::k_longest_manifest);
    auto manifest = text ? plan::parse_manifest(*text) : Result<plan::ManifestText>{Error{}};
    if (!manifest) return {};
    std::erase_if(manifest->moved_aside,
                  [&](const plan::ManifestAside& moved) { return !root.stat_entry(moved.to).has_value(); });
    std::erase_if(manifest->files, [&](const plan::ManifestFile& file) {
        if (brought.contains(file.entry.path)) return true;
        const auto found = root.stat_entry(file.entry.path);
        return !found || !S_ISREG(found->st_mode) || static_cast<std::uint64_t>(found->st_size) != file.entry.size;
    });
    return std::move(*manifest);
}

std::vector<plan::ManifestAside> all_aside(std::vector<plan::ManifestAside> earlier, const PullReport& report) {
    for (const disk::MovedAside& moved : report.moved_aside) {
        std::erase_if(earlier, [&](const plan::ManifestAside& old) { return old.to == moved.to; });
        earlier.push_back({moved.path, moved.to});
    }
    return earlier;
}

}  // namespace

Status certify_units(const Op& op, const Deps& deps, const disk::Root& root, const Selection& selection,
                     std::span<const std::size_t> which, PullReport& report) {
    const std::vector<std::size_t> files = files_of(selection, which);
    TRY(check_structures(op, root, files, report));
    for (const std::size_t index : which) {
        TRY(check_sets(op, root, selection.units[index], report));
        PulledUnit judged = judge_unit(op, root, selection.units[index], report.files);
        TRY(load_unit(op, deps, selection.units[index], report, judged));
        report.units[index] = std::move(judged);
    }
    find_displaced(root, files, report);
    for (const std::size_t index : which)
        certify(selection.units[index], report, report.units[index]);
    return ok();
}

std::optional<Error> problem_of(const PullReport& report, std::size_t left_out) {
    const auto count = [&](auto test) { return std::count_if(report.files.begin(), report.files.end(), test); };
    const auto wrong = count([](const PulledFile& f) { return f.code == Code::integrity && !is_proven(f); });
    const auto broken = count([](const PulledFile& f) { return f.structure == model::Structure::broken; });
    if (wrong > 0) {
        return Error{Code::integrity, counted(static_cast<std::uint64_t>(wrong), "file") + " arrived wrong three times"}
            .because("the box's memory, disk or helper changes bytes");
    }
    if (broken > 0) {
        return Error{Code::integrity, "of the files that arrived as they are on the box, " + std::to_string(broken) +
                                          (broken == 1 ? " is" : " are") + " damaged there"}
            .because("hash equal on both sides, but not whole in their own format: the copy on the box is the bad one");
    }
    const auto displaced = count([](const PulledFile& f) { return f.state == FileState::displaced; });
    if (displaced > 0) {
        return Error{Code::integrity, counted(static_cast<std::uint64_t>(displaced), "file") + " arrived and" +
                                          (displaced == 1 ? " is" : " are") + " not under " +
                                          (displaced == 1 ? "its name" : "their names") + " any more"}
            .because("something moved or replaced files or directories of the destination while the pull ran");
    }
    const auto loaded = std::ranges::count(report.units, Loading::failed, &PulledUnit::loading);
    if (loaded > 0) {
        return Error{Code::integrity, counted(static_cast<std::uint64_t>(loaded), "unit") +
                                          " arrived as on the box and did not pass the load test (pull.verify_cmd)"}
            .because("such a unit is here and is in no receipt; WHY has the test's last words")
            .then("drawhitch help project-file");
    }
    const auto open = std::count_if(report.units.begin(), report.units.end(),
                                    [](const PulledUnit& u) { return !u.proven && !u.rotated; });
    if (open == 0 && left_out == 0) return std::nullopt;
    std::string what = std::to_string(open) + " of " + counted(report.units.size(), "unit") + " not certified";
    if (left_out > 0)
        what += ", " + counted(left_out, "entry", "entries") + " cannot be pulled (links, pipes, unreadable)";
    return Error{Code::skipped, what};
}

void uncertify_displaced(const disk::Root& root, const Selection& selection, PullReport& report) {
    std::vector<std::size_t> all(report.files.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    find_displaced(root, all, report);
    for (std::size_t i = 0; i < selection.units.size(); ++i)
        certify(selection.units[i], report, report.units[i]);
}

Status write_records(const disk::Root& root, const plan::ManifestHead& head, const PullReport& report) {
    // The old digests of what is here anew are true no more.
    std::set<std::string_view> brought;
    for (const PulledFile& file : report.files) {
        if (is_here(file.state)) brought.insert(file.entry.path);
    }
    const plan::ManifestText before = earlier_manifest(root, brought);
    const std::vector<plan::ManifestFile>& earlier = before.files;
    const std::vector<plan::ManifestAside> aside = all_aside(before.moved_aside, report);
    const auto listed = [](const PulledFile& file) { return file.certified || is_damaged(file); };
    const bool any = !earlier.empty() || !aside.empty() || std::ranges::any_of(report.files, listed);
    // An empty list in a fresh directory would look like a pull; an old list must not outlive what it lists.
    if (!any && !root.stat_entry(plan::k_manifest_name)) return ok();
    plan::ManifestWriter manifest{head};
    std::string sums = plan::sums_text(earlier);
    for (const plan::ManifestFile& file : earlier)
        manifest.add(file);
    for (const PulledFile& file : report.files) {
        if (!listed(file)) continue;
        manifest.add({file.entry, file.structure, file.mode, file.certified ? "" : file.why});
        if (file.certified) sums += plan::sums_line(file.entry);
    }
    TRY(disk::write_atomic(root, plan::k_manifest_name, manifest.finish(aside)));
    return disk::write_atomic(root, plan::k_sums_name, sums);
}

}  // namespace drawhitch::flow
