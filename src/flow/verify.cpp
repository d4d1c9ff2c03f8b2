#include "flow/verify.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "core/model/stand_in.hpp"
#include "core/parse/structure_set.hpp"
#include "flow/box.hpp"
#include "flow/hash_files.hpp"
#include "flow/lease_word.hpp"
#include "flow/load_test.hpp"
#include "flow/pull_unfinished.hpp"
#include "flow/run_files.hpp"
#include "flow/structure_check.hpp"
#include "io/disk/write_atomic.hpp"
#include "io/ledger/ledger.hpp"
#include "io/ledger/lock.hpp"

namespace drawhitch::flow {

namespace {

Result<plan::ManifestText> read_manifest(const Deps& deps, const disk::Root& root, const std::string& asked_for) {
    const auto text = disk::read_whole(root, plan::k_manifest_name, plan::k_longest_manifest);
    std::string pulled_by = asked_for;
    if (pulled_by.empty()) {
        TRY_ASSIGN(pulled_by, pull_that_landed(deps, root.path()));
    }
    if (!text && text.error().code == Code::not_found) {
        return Error{Code::not_found, printable(root.path()) + " holds no " + std::string{plan::k_manifest_name}}
            .because("verify checks a directory that pull has made")
            .then(pulled_by);
    }
    if (!text) return text.error();
    auto manifest = plan::parse_manifest(*text);
    if (manifest) return manifest;
    return Error{manifest.error()}
        .because("nothing in " + printable(root.path()) +
                 " can be checked against it; a pull into that directory reads "
                 "what is there, keeps what is right, and writes the list anew")
        .then(pulled_by.empty() ? "drawhitch ls --all" : pulled_by);
}

Result<VerifiedFile> judge_local(const Op& op, const disk::Root& root, const plan::ManifestFile& file,
                                 const HashedFile& hashed) {
    VerifiedFile verified{file, VerifyState::good, {}};
    if (hashed.error && hashed.error->code == Code::not_found) {
        verified.state = VerifyState::missing;
        verified.why = "it is not here";
        return verified;
    }
    if (hashed.error) {
        verified.state = VerifyState::damaged;
        verified.why = hashed.error->message;
        return verified;
    }
    const bool same = hashed.digests.size == file.entry.size && hashed.digests.root.hex() == file.entry.root &&
                      hashed.digests.sha256 && hashed.digests.sha256->hex() == file.entry.sha256;
    if (!same) {
        verified.state = VerifyState::damaged;
        verified.why = hashed.digests.size == file.entry.size ? "its content is not what was pulled"
                                                              : "its size is not what was pulled";
        return verified;
    }
    TRY_ASSIGN(const auto verdict, check_file_structure(op, root, file.entry.path));
    verified.file.structure = verdict.state;
    if (verdict.state == model::Structure::broken) {
        verified.state = VerifyState::broken;
        verified.why = "damaged on the box, before it was pulled: " + verdict.detail;
    } else if (!file.unproven.empty()) {
        verified.state = VerifyState::broken;
        verified.why = file.unproven;
    } else {
        verified.why = verdict.detail;
    }
    return verified;
}

// What an index says of its shards, where all of the unit is good.
Status check_sets(const Op& op, const disk::Root& root, VerifyReport& report) {
    std::set<std::string_view> bad;
    for (const VerifiedFile& verified : report.files)
        if (verified.state != VerifyState::good) bad.insert(verified.file.entry.unit);
    for (VerifiedFile& verified : report.files) {
        const model::ManifestEntry& entry = verified.file.entry;
        if (!parse::tells_of_others(entry.path) || bad.contains(entry.unit)) continue;
        TRY_ASSIGN(const auto verdict, check_set_structure(op, root, entry.path));
        if (verdict.state != model::Structure::broken) continue;
        verified.state = VerifyState::broken;
        verified.file.structure = verdict.state;
        verified.why = "damaged on the box, before it was pulled: " + verdict.detail;
    }
    return ok();
}

// Which whole unit stands in for each one with a file whose structure is damaged.
void tell_stand_ins(VerifyReport& report) {
    std::map<std::string_view, model::SavedUnit> units;
    std::set<std::string_view> bad;
    for (const VerifiedFile& verified : report.files) {
        const model::ManifestEntry& entry = verified.file.entry;
        model::SavedUnit& unit = units[entry.unit];
        unit.name = entry.unit;
        unit.saved = std::max(unit.saved, entry.mtime);
        if (verified.state != VerifyState::good) bad.insert(entry.unit);
    }
    std::vector<model::SavedUnit> good;
    for (const auto& [name, unit] : units)
        if (!bad.contains(name)) good.push_back(unit);
    for (VerifiedFile& verified : report.files) {
        if (verified.file.structure != model::Structure::broken || verified.state != VerifyState::broken) continue;
        verified.why += model::words_of(model::stand_in(units[verified.file.entry.unit], good));
    }
}

// The load test of the project in force, for each unit all of whose files are good.
Status load_units(const Op& op, const Deps& deps, const std::string& directory, VerifyReport& report) {
    std::map<std::string_view, std::vector<std::size_t>> units;
    for (std::size_t i = 0; i < report.files.size(); ++i) {
        const std::string& unit = report.files[i].file.entry.unit;
        if (wants_load_test(deps, unit)) units[unit].push_back(i);
    }
    for (const auto& [unit, files] : units) {
        std::vector<model::ManifestEntry> good;
        for (const std::size_t index : files)
            if (report.files[index].state == VerifyState::good) good.push_back(report.files[index].file.entry);
        if (good.size() != files.size()) continue;
        TRY_ASSIGN(const LoadVerdict verdict, load_test_once(op, deps, directory, std::string{unit}, good, true));
        if (verdict.state == Loading::passed) continue;
        for (const std::size_t index : files) {
            report.files[index].state = verdict.state == Loading::failed ? VerifyState::broken : VerifyState::untested;
            report.files[index].why = verdict.why;
        }
    }
    return ok();
}

// What the box has under the same names now.
Status compare_with_box(const Op& op, Deps& deps, const VerifyOptions& options, VerifyReport& report) {
    TRY_ASSIGN(const model::Lease lease, lease_to_read(deps.ledger, *options.box));
    TRY_ASSIGN(const model::Run run, deps.ledger.run_by_name(lease.id, report.head.run));
    TRY_ASSIGN(Box box, Box::connect(op, deps, lease));
    TRY(box.open_root(op, false));
    TRY_ASSIGN(const proto::RootId root, box.agent().open_root(op, run.spec.run_dir, false));
    std::vector<proto::FileEntry> entries(report.files.size());
    std::vector<std::size_t> all(report.files.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        entries[i].path = report.files[i].file.entry.path;
        all[i] = i;
    }
    TRY(add_digests(op, box.agent(), root, entries, {all, options.rehash}));
    for (std::size_t i = 0; i < entries.size(); ++i) {
        VerifiedFile& file = report.files[i];
        if (file.state != VerifyState::good) continue;
        if (entries[i].type == proto::FileType::unknown) {
            file.state = VerifyState::gone;
            file.why = "not on the box any more";
        } else if (!entries[i].root || entries[i].root->hex() != file.file.entry.root) {
            file.state = VerifyState::differs;
            file.why = "the box has another content under this name: pull again";
        }
    }
    return ok();
}

std::optional<Error> problem_of(const VerifyReport& report) {
    const auto bad = std::count_if(report.files.begin(), report.files.end(), [](const VerifiedFile& file) {
        return file.state == VerifyState::missing || file.state == VerifyState::damaged ||
               file.state == VerifyState::broken;
    });
    if (bad > 0) {
        Error error{Code::integrity, std::to_string(bad) + " of " + counted(report.files.size(), "file") +
                                         (bad == 1 ? " is" : " are") + " not what was pulled and proven"};
        if (!report.head.box.empty()) error.next = "drawhitch pull " + report.head.box + " " + report.head.run;
        return error;
    }
    const auto untested = std::ranges::count(report.files, VerifyState::untested, &VerifiedFile::state);
    if (untested > 0) {
        return Error{Code::skipped, counted(static_cast<std::uint64_t>(untested), "file") +
                                        " could not be load-tested (pull.verify_cmd)"}
            .then("drawhitch help project-file");
    }
    const auto other = std::count_if(report.files.begin(), report.files.end(),
                                     [](const VerifiedFile& file) { return file.state == VerifyState::differs; });
    if (other == 0) return std::nullopt;
    return Error{Code::skipped, counted(static_cast<std::uint64_t>(other), "file") + " changed on the box since"}.then(
        "drawhitch pull " + report.head.box + " " + report.head.run);
}

}  // namespace

std::string_view name_of(VerifyState state) {
    switch (state) {
        case VerifyState::good:
            return "good";
        case VerifyState::missing:
            return "missing";
        case VerifyState::damaged:
            return "damaged";
        case VerifyState::broken:
            return "broken";
        case VerifyState::untested:
            return "untested";
        case VerifyState::differs:
            return "differs";
        case VerifyState::gone:
            return "gone";
    }
    return "damaged";
}

Result<VerifyReport> verify(const Op& op, Deps& deps, const VerifyOptions& options) {
    TRY_ASSIGN(const disk::Root root, disk::Root::open(options.directory));
    // Before the manifest is read: a pull replaces files first and their list last.
    auto lock = ledger::FileLock::pull_target(op, deps.ledger.state_dir(), options.directory, "drawhitch verify");
    if (!lock) return std::move(lock).error().while_("verifying " + printable(options.directory));
    TRY_ASSIGN(auto unfinished, unfinished_pull(deps, options.directory));
    auto manifest = read_manifest(deps, root, options.pulled_by);
    if (!manifest && manifest.error().code == Code::not_found && unfinished) return std::move(*unfinished);
    if (!manifest) return manifest.error();
    VerifyReport report{};
    report.head = std::move(manifest->head);
    std::vector<std::string> paths;
    std::uint64_t total = 0;
    for (const plan::ManifestFile& file : manifest->files) {
        paths.push_back(file.entry.path);
        total += file.entry.size;
    }
    Activity checking{op.events, "verify " + human_bytes(total), EventUnit::none};
    HashOptions hashing{};
    hashing.sha256 = true;
    TRY_ASSIGN(const auto hashed, hash_files(op, root, paths, hashing));
    for (std::size_t i = 0; i < manifest->files.size(); ++i) {
        TRY_ASSIGN(auto verified, judge_local(op, root, manifest->files[i], hashed[i]));
        report.files.push_back(std::move(verified));
    }
    TRY(check_sets(op, root, report));
    TRY(load_units(op, deps, options.directory, report));
    tell_stand_ins(report);
    if (options.box) TRY(compare_with_box(op, deps, options, report));
    report.problem = problem_of(report);
    if (!report.problem && unfinished) {
        unfinished->code = Code::skipped;
        report.problem = std::move(unfinished);
    }
    return report;
}

}  // namespace drawhitch::flow
