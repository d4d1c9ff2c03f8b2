#include <sys/stat.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "base/text.hpp"
#include "core/parse/glob.hpp"
#include "core/plan/home_names.hpp"
#include "flow/hash_files.hpp"
#include "flow/pull_parts.hpp"

namespace drawhitch::flow {

namespace {

// Files of this age or younger, by the box's clock, are read a second time before they are called whole: a write of the
// same second need not show in size and time.
constexpr std::int64_t k_young_seconds = 10;

bool class_wanted(model::RosterClass wanted, const std::vector<model::RosterClass>& classes) {
    if (classes.empty()) return wanted != model::RosterClass::scratch;
    return std::find(classes.begin(), classes.end(), wanted) != classes.end();
}

// By what the box calls the file, or by what it is called here.
bool covers(const parse::Glob& glob, const std::string& path) {
    return glob.covers(path) || glob.covers(plan::work_name(path));
}

bool unit_wanted(const plan::Unit& unit, const std::vector<proto::FileEntry>& entries,
                 const std::vector<parse::Glob>& globs) {
    if (globs.empty()) return true;
    return std::any_of(unit.files.begin(), unit.files.end(), [&](std::size_t file) {
        return std::any_of(globs.begin(), globs.end(),
                           [&](const parse::Glob& glob) { return covers(glob, entries[file].path); });
    });
}

// What somebody expected and the box does not have. The user's own patterns stand above the roster's; of that, only
// what this pull is about.
std::vector<model::RosterItem> unmatched_items(const RunFiles& files, const model::Roster& roster,
                                               const PullOptions& options, const std::vector<parse::Glob>& globs) {
    std::vector<model::RosterItem> unmatched;
    for (std::size_t i = 0; i < globs.size(); ++i) {
        const auto covered = [&](const proto::FileEntry& entry) { return covers(globs[i], entry.path); };
        const bool any = std::ranges::any_of(files.entries, covered) || std::ranges::any_of(files.left_out, covered);
        if (!any) unmatched.push_back({options.patterns[i], model::RosterClass::must});
    }
    if (!globs.empty() || options.all || !options.declare.empty()) return unmatched;
    for (const std::size_t index : files.unmatched) {
        const model::RosterItem& item = roster[index];
        if (item.wanted != model::RosterClass::scratch && class_wanted(item.wanted, options.classes)) {
            unmatched.push_back(item);
        }
    }
    return unmatched;
}

// A log is always the newest thing there is, and nobody means it.
void keep_newest_units(RunFiles& files, const PullOptions& options) {
    if (options.newest <= 0) return;
    const auto is_log = [](const plan::Unit& unit) { return unit.name.starts_with(k_run_prefix); };
    const auto outputs = std::stable_partition(files.units.begin(), files.units.end(), is_log);
    std::vector<plan::Unit> counted{std::make_move_iterator(outputs), std::make_move_iterator(files.units.end())};
    files.units.erase(outputs, files.units.end());
    const auto keep = options.patterns.empty() ? plan::keep_newest : plan::keep_newest_of_all;
    for (plan::Unit& unit : keep(std::move(counted), files.entries, options.newest))
        files.units.push_back(std::move(unit));
}

}  // namespace

Status check_declared(const RunFiles& files, const model::Roster& declared) {
    for (const model::RosterItem& item : declared) {
        TRY_ASSIGN(const auto glob, parse::Glob::compile(item.pattern));
        const auto meets = [&glob](const proto::FileEntry& entry) { return covers(glob, entry.path); };
        if (std::ranges::any_of(files.entries, meets) || std::ranges::any_of(files.left_out, meets)) continue;
        return Error{Code::not_found,
                     "nothing of the run matches " + printable(item.pattern) + ", so it was not declared"}
            .because("a pattern is relative to the run's work directory");
    }
    return ok();
}

Result<Selection> select_units(RunFiles files, const model::Roster& roster, const PullOptions& options,
                               const UnitTests& tests) {
    std::vector<parse::Glob> globs;
    for (const std::string& pattern : options.patterns) {
        TRY_ASSIGN(auto glob, parse::Glob::compile(pattern));
        globs.push_back(std::move(glob));
    }
    Selection selection{};
    selection.unmatched = unmatched_items(files, roster, options, globs);
    std::erase_if(files.units, [&](const plan::Unit& unit) {
        return !class_wanted(unit.wanted, options.classes) || !unit_wanted(unit, files.entries, globs) ||
               (tests.settled && !tests.settled(unit));
    });
    keep_newest_units(files, options);
    if (tests.not_done) std::erase_if(files.units, std::not_fn(tests.not_done));
    selection.box_seconds = files.box_seconds;
    selection.entries.reserve(files.entries.size());
    selection.units.reserve(files.units.size());
    for (plan::Unit& unit : files.units) {
        for (std::size_t& file : unit.files) {
            selection.entries.push_back(std::move(files.entries[file]));
            selection.being_written.push_back(files.being_written[file]);
            file = selection.entries.size() - 1;
        }
        selection.units.push_back(std::move(unit));
    }
    for (proto::FileEntry& entry : files.left_out) {
        const bool asked = globs.empty() || std::any_of(globs.begin(), globs.end(), [&](const parse::Glob& glob) {
                               return covers(glob, entry.path);
                           });
        if (asked) selection.left_out.push_back(std::move(entry));
    }
    return selection;
}

Result<std::map<std::string, plan::LocalFile>> local_files(const Op& op, const disk::Root& root,
                                                           const std::vector<proto::FileEntry>& entries) {
    std::vector<std::string> paths;
    for (const proto::FileEntry& entry : entries) {
        const auto found = root.stat_entry(entry.path);
        if (found && S_ISREG(found->st_mode) && static_cast<std::uint64_t>(found->st_size) == entry.size) {
            paths.push_back(entry.path);
        }
    }
    HashOptions hashing{};
    hashing.sha256 = true;
    TRY_ASSIGN(const auto hashed, hash_files(op, root, paths, hashing));
    std::map<std::string, plan::LocalFile> local;
    for (std::size_t i = 0; i < paths.size(); ++i) {
        if (hashed[i].error) continue;  // unreadable or changing: fetched anew
        const auto& digests = hashed[i].digests;
        local[paths[i]] = {digests.size, digests.root, digests.sha256.value_or(proto::Digest{})};
    }
    return local;
}

std::string name_problem(std::string_view path) {
    if (const Status fine = disk::Landing::check_path(path); !fine) return fine.error().message;
    return {};
}

bool is_young(const proto::FileEntry& entry, std::int64_t box_seconds) {
    return entry.mtime_ns / 1'000'000'000 > box_seconds - k_young_seconds;
}

}  // namespace drawhitch::flow
