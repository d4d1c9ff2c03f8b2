#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "core/model/stand_in.hpp"
#include "flow/kept_copies.hpp"
#include "flow/pull_parts.hpp"

namespace drawhitch::flow {

namespace {

std::string and_quoted(const std::string& flag, const std::string& value) {
    return " " + flag + " " + shell_word(value);
}

// The units that this pull proved.
std::map<std::string, WallTime> proven_units(const PullReport& report) {
    std::map<std::string, WallTime> units;
    for (const PulledFile& file : report.files) {
        if (!file.certified) continue;
        WallTime& saved = units[file.entry.unit];
        saved = std::max(saved, file.entry.mtime);
    }
    return units;
}

}  // namespace

FreshDirectories::FreshDirectories(const std::string& path) {
    struct stat found {};
    for (std::string prefix = path; prefix.size() > 1 && ::lstat(prefix.c_str(), &found) != 0;) {
        made_.push_back(prefix);
        prefix.resize(prefix.rfind('/'));
    }
}

FreshDirectories::~FreshDirectories() {
    for (const std::string& path : made_) {
        if (::rmdir(path.c_str()) != 0) return;  // it is in use, rightly
    }
}

std::string pull_command(const PullOptions& options, const std::string& box, const std::string& run) {
    std::string command = "drawhitch pull " + shell_word(box);
    if (!run.empty()) command += " " + shell_word(run);
    for (const std::string& pattern : options.patterns)
        command += " " + shell_word(pattern);
    for (const model::RosterClass wanted : options.classes)
        command += and_quoted("--class", std::string{model::name_of(wanted)});
    if (options.newest > 0) command += " --newest " + std::to_string(options.newest);
    for (const std::string& pattern : options.first)
        command += and_quoted("--first", pattern);
    if (options.all) command += " --all";
    if (!options.to.empty()) command += and_quoted("--to", options.to);
    return command;
}

std::string quoted_list(const std::vector<std::string>& words) {
    std::string list;
    for (const std::string& word : words) {
        list += (list.empty() ? "\"" : ", \"") + printable(word) + "\"";
    }
    return list;
}

Status tell_stand_ins(const Op& op, const ledger::Ledger& ledger, std::int64_t run, PullReport& report) {
    if (std::ranges::find(report.files, model::Structure::broken, &PulledFile::structure) == report.files.end())
        return ok();
    std::map<std::string, WallTime> units = proven_units(report);
    std::set<std::string_view> anew;
    for (const PulledFile& file : report.files)
        anew.insert(file.entry.unit);
    TRY_ASSIGN(const KeptCopies kept, kept_copies(op, ledger, run, CopyCheck::quick));
    for (const ledger::ProvenFile& file : kept.here) {
        const model::ManifestEntry& entry = file.entry.file;
        if (anew.contains(entry.unit) || file.entry.structure == model::Structure::broken) continue;
        WallTime& saved = units[entry.unit];
        saved = std::max(saved, entry.mtime);
    }
    std::vector<model::SavedUnit> good;
    for (const auto& [name, saved] : units)
        good.push_back({name, saved});
    for (PulledFile& file : report.files) {
        if (file.structure != model::Structure::broken) continue;
        file.stand_in = model::words_of(model::stand_in({file.entry.unit, file.entry.mtime}, good));
        file.why += file.stand_in;
    }
    return ok();
}

void advise_damaged(Error& problem, const std::string& box, const model::RunSpec& spec, const PullReport& report) {
    const auto bad = std::ranges::find(report.files, model::Structure::broken, &PulledFile::structure);
    if (bad == report.files.end()) return;
    const std::string path = spec.run_dir + "/" + box_path(bad->entry.path);
    problem.why += bad->stand_in;
    problem.why += "; where it is not needed, drawhitch down " + box + " --lose " + shell_word(path) + " gives it up";
    problem.next = "drawhitch exec " + shell_word(box) + " -- ls -l " + shell_word(path);
}

bool has_no_roster(const model::RunSpec& spec, const PullOptions& options) {
    return spec.roster.empty() && !spec.scratch && !options.all && options.patterns.empty();
}

std::optional<Error> unmatched_problem(const std::string& box, const model::RunSpec& spec, const PullOptions& options,
                                       const std::vector<model::RosterItem>& unmatched) {
    std::vector<std::string> patterns;
    for (const model::RosterItem& item : unmatched) {
        if (item.wanted == model::RosterClass::must) patterns.push_back(item.pattern);
    }
    PullOptions wider = options;
    wider.all = true;
    const std::string all = pull_command(wider, box, spec.name);
    if (has_no_roster(spec, options)) {
        return Error{Code::skipped, "run " + spec.name + " has no roster: only its log and record were pulled"}
            .because("it was started without --out; pull --all brings everything and declares nothing")
            .then("drawhitch pull " + shell_word(box) + " " + shell_word(spec.name) + " --out '**'");
    }
    if (patterns.empty()) return std::nullopt;
    Error error{Code::skipped, "nothing of run " + spec.name + " matches " + quoted_list(patterns)};
    if (options.all) return error;
    error.why = options.patterns.empty() ? "the run's roster names what the run has not made, or not yet"
                                         : "a pattern selects among the files of the run's roster";
    return std::move(error).then(all);
}

}  // namespace drawhitch::flow
