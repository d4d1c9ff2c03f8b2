#include "flow/down/run_standing.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>

#include "core/judge/box_path.hpp"
#include "core/judge/results.hpp"
#include "core/judge/resume_names.hpp"
#include "core/parse/glob.hpp"
#include "core/plan/home_names.hpp"
#include "flow/overview.hpp"
#include "flow/push.hpp"
#include "flow/run_files.hpp"
#include "io/ledger/ledger.hpp"

namespace drawhitch::flow {

namespace {

// Nothing remembered decides about destruction: the box reads every byte again.
constexpr bool k_rehash = true;

using judge::Explained;

constexpr std::int32_t k_linux_eacces = 13;

std::string kind_of(proto::FileType type) {
    switch (type) {
        case proto::FileType::symlink:
            return "link";
        case proto::FileType::fifo:
            return "pipe";
        case proto::FileType::socket:
            return "socket";
        case proto::FileType::device:
            return "device";
        case proto::FileType::file:
        case proto::FileType::directory:
        case proto::FileType::unknown:
            return "thing of an unknown kind";
    }
    return {};
}

// The strictest class that names the path.
model::RosterClass wanted_of(const model::Roster& roster, const std::string& path) {
    model::RosterClass strictest = model::RosterClass::scratch;
    for (const model::RosterItem& item : roster) {
        const auto glob = parse::Glob::compile(item.pattern);
        if (item.wanted < strictest && (!glob || glob->covers(path))) strictest = item.wanted;
    }
    return strictest;
}

bool is_result(const judge::UnitStanding& unit) {
    return unit.wanted == model::RosterClass::must && !unit.record;
}

// As the box calls it: whoever reads it may have nothing here yet.
judge::UnitStanding told(judge::UnitStanding unit) {
    unit.name = plan::work_name(unit.name);
    unit.culprit = plan::work_name(unit.culprit);
    return unit;
}

std::optional<std::string> root_of(const proto::FileEntry& entry) {
    if (entry.type != proto::FileType::file || !entry.root) return std::nullopt;
    return entry.root->hex();
}

}  // namespace

bool ends_the_look(const Error& error) {
    constexpr std::array k_codes{Code::cancelled, Code::deadline, Code::ledger,
                                 Code::locked,    Code::host_key, Code::auth};
    return std::ranges::find(k_codes, error.code) != k_codes.end() || is_unreachable(error);
}

// What one run's scan found, kept for the questions that follow.
struct RunStanding::Seen {
    proto::RootId root{0};
    RunFiles files{};
    judge::Proofs proofs{};
    std::set<std::string> proven_paths{};  // of receipts and copies
    bool received{false};                  // a receipt holds something that the run had to leave behind
    std::set<std::string> unit_paths{};
};

Status RunStanding::read_proofs(const model::Run& run, const KeptCopies& kept, judge::Proofs& proofs) {
    for (const ledger::ProvenFile& file : kept.here)
        proofs.add_receipt(file.entry.file.path, file.entry.file.root, file.entry.structure);
    for (const ledger::ProvenFile& file : kept.gone)
        proofs.add_mislaid(file.entry.file.path, file.entry.file.root, file.entry.local_path,
                           kept.dying.contains(file.entry.local_path));
    TRY_ASSIGN(const auto copies, deps_.ledger.copies(run.id));
    for (const ledger::PlacedCopy& copy : copies) {
        // A copy on a tier counts only if that tier outlives the verb.
        constexpr std::string_view k_tier = "tier:";
        bool outlives = true;
        if (copy.place.starts_with(k_tier)) {
            outlives = false;
            for (const judge::Tier& tier : tiers_.tiers())
                outlives = outlives || (!tier.destroyed && copy.place.substr(k_tier.size()) == tier.name);
        }
        if (outlives) proofs.add_copy(copy.file.path, copy.file.root, copy.place);
    }
    return ok();
}

judge::NoFile RunStanding::no_file(const model::RunSpec& spec, const proto::FileEntry& entry) const {
    judge::NoFile result{spec.run_dir + "/" + box_path(entry.path), kind_of(entry.type), {}, {}, false};
    result.wanted = wanted_of(spec.roster, plan::work_name(entry.path));
    if (entry.type != proto::FileType::symlink) return result;
    result.target = entry.target;
    const std::string place = result.path.substr(0, result.path.rfind('/'));
    const std::string target = judge::link_target(place, entry.target);
    // Within the work tree its target is judged for itself: by the roster, or as a file that nothing explains.
    // So is what lies in the project's shared directory.
    const bool stays = !target.empty() &&
                       (judge::is_inside(target, spec.work_dir) || judge::is_inside(target, lease_.root + "/shared"));
    result.leads_out = !stays && (target.empty() || tiers_.dies(target));
    return result;
}

Status RunStanding::units(const Op& op, const model::Run& run, Seen& seen, judge::GateRun& result) {
    TRY_ASSIGN(seen.files, scan_run_files(op, roots_.agent(), seen.root, {.roster = run.spec.roster}));
    RunFiles& files = seen.files;
    std::vector<std::size_t> all(files.entries.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    TRY(add_digests(op, roots_.agent(), seen.root, files.entries, {all, k_rehash}));
    const bool survives = !tiers_.dies(run.spec.work_dir);
    for (const plan::Unit& unit : files.units) {
        judge::UnitFacts facts{unit.name, run.spec.run_dir + "/" + box_path(unit.name), unit.wanted, {}, unit.missing,
                               survives,  unit.name.starts_with(k_run_prefix)};
        for (const std::size_t index : unit.files) {
            const proto::FileEntry& entry = files.entries[index];
            // Removed by the job since the scan: what is gone cannot be lost.
            const bool gone =
                entry.type == proto::FileType::unknown && (entry.error == 0 || entry.error == proto::k_linux_enoent);
            if (gone) continue;
            facts.files.push_back({entry.path, entry.size, root_of(entry), files.being_written[index],
                                   entry.type != proto::FileType::file});
            seen.unit_paths.insert(entry.path);
            facts.saved = std::max(facts.saved, wall_of(entry.mtime_ns));
        }
        if (!facts.files.empty()) result.units.push_back(told(seen.proofs.stand(facts)));
    }
    for (const proto::FileEntry& entry : files.left_out) {
        if (entry.error == 0) {
            result.no_files.push_back(no_file(run.spec, entry));
            continue;
        }
        judge::UnitFacts facts{
            entry.path, run.spec.run_dir + "/" + box_path(entry.path), model::RosterClass::must, {}, {},
            false,      entry.path.starts_with(k_run_prefix)};
        facts.files.push_back({entry.path, entry.size, std::nullopt, false, true, entry.error == k_linux_eacces});
        result.units.push_back(told(seen.proofs.stand(facts)));
    }
    const bool found = std::ranges::any_of(result.units, is_result) || !result.no_files.empty() || seen.received;
    result.left_nothing = judge::left_nothing(run.spec.roster, result.verdict.kind, found);
    result.scanned = true;
    return ok();
}

// The release on the box against the hash the launch recorded.
Status RunStanding::code(const Op& op, const model::Run& run, judge::GateRun& result) {
    result.code_recorded = run.spec.code_hash;
    if (run.spec.code_hash.empty()) {
        result.code = judge::CodeState::none;
        return ok();
    }
    TRY_ASSIGN(const proto::RootId root, roots_.open(op, lease_.root));
    proto::TreeHash request{};
    request.root = root;
    request.path = release_path(run.spec.code_hash);
    request.rehash = k_rehash;
    TRY_ASSIGN(const proto::TreeHashed hashed, roots_.agent().tree_hash(op, request));
    result.code_found = hashed.digest.hex();
    result.code = result.code_found == run.spec.code_hash ? judge::CodeState::same : judge::CodeState::different;
    return ok();
}

// Files of the work tree that are still what the release has are explained by it; edited ones are not.
Status RunStanding::unchanged_code(const Op& op, const model::Run& run, const Seen& seen, judge::Explanations& why) {
    if (run.spec.code_hash.empty()) return ok();
    TRY_ASSIGN(const proto::RootId root, roots_.open(op, lease_.root));
    const std::string release = release_path(run.spec.code_hash);
    proto::Scan scan{};
    scan.root = root;
    scan.subtrees = {release};
    scan.digests = true;
    scan.rehash = k_rehash;
    std::map<std::string, proto::Digest> released{};
    std::vector<proto::FileEntry> entries{};
    TRY(roots_.agent().scan(op, scan, [&](proto::FileEntry&& entry) -> Status {
        if (entry.type != proto::FileType::file || !entry.root || entry.path.size() <= release.size()) return ok();
        const std::string path = plan::home_name(std::string_view{entry.path}.substr(release.size() + 1));
        if (seen.unit_paths.contains(path)) return ok();
        released[path] = *entry.root;
        entry.path = path;
        entries.push_back(std::move(entry));
        return ok();
    }));
    std::vector<std::size_t> all(entries.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    TRY_ASSIGN(const proto::RootId run_root, roots_.open(op, run.spec.run_dir));
    TRY(add_digests(op, roots_.agent(), run_root, entries, {all, k_rehash}));
    for (const proto::FileEntry& entry : entries) {
        if (entry.type == proto::FileType::file && entry.root && *entry.root == released[entry.path])
            why.files[run.spec.run_dir + "/" + box_path(entry.path)] = Explained::release;
    }
    return ok();
}

// Files no pattern of the roster names, but some receipt or copy holds as they are.
Status RunStanding::proven_files(const Op& op, const model::Run& run, const Seen& seen, judge::Explanations& why) {
    std::vector<proto::FileEntry> entries{};
    for (const std::string& path : seen.proven_paths) {
        if (seen.unit_paths.contains(path)) continue;
        entries.emplace_back();
        entries.back().path = path;
    }
    if (entries.empty()) return ok();
    std::vector<std::size_t> all(entries.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    TRY_ASSIGN(const proto::RootId root, roots_.open(op, run.spec.run_dir));
    TRY(add_digests(op, roots_.agent(), root, entries, {all, k_rehash}));
    for (const proto::FileEntry& entry : entries) {
        const auto digest = root_of(entry);
        if (digest && seen.proofs.holds(entry.path, *digest))
            why.files[run.spec.run_dir + "/" + box_path(entry.path)] = Explained::proven;
    }
    return ok();
}

namespace {

std::vector<parse::Glob> globs_of(const std::vector<std::string>& patterns) {
    std::vector<parse::Glob> globs{};
    for (const std::string& pattern : patterns)
        if (auto glob = parse::Glob::compile(pattern)) globs.push_back(std::move(*glob));
    return globs;
}

// Scratch patterns of a run and of its platform's profile, as a question about absolute paths. The profile says what no
// resume needs, so it is believed about no file that one may need, and about no run of which nobody said what matters.
std::function<bool(std::string_view)> scratch_of(const model::RunSpec& spec, const std::vector<std::string>& profile,
                                                 const std::function<bool(std::string_view)>& others) {
    std::vector<parse::Glob> globs{};
    for (const model::RosterItem& item : spec.roster) {
        if (item.wanted != model::RosterClass::scratch) continue;
        if (auto glob = parse::Glob::compile(item.pattern)) globs.push_back(std::move(*glob));
    }
    const std::vector<parse::Glob> everyones = spec.roster.empty() ? std::vector<parse::Glob>{} : globs_of(profile);
    return [globs, everyones, others, start = spec.work_dir + "/"](std::string_view path) {
        if (path.starts_with(start)) {
            const std::string_view inside = path.substr(start.size());
            const auto covers = [inside](const parse::Glob& glob) { return glob.covers(inside); };
            if (std::ranges::any_of(globs, covers)) return true;
            const bool strange = judge::lies_in_cache(path, false) && !judge::lies_in_cache(path, true);
            if (!strange && !judge::may_be_resumed_from(inside) && std::ranges::any_of(everyones, covers)) return true;
        }
        return others && others(path);
    };
}

}  // namespace

Result<judge::GateRun> RunStanding::look(const Op& op, const RunView& view, judge::Explanations& why) {
    const model::Run& run = view.run;
    const model::RunSpec& spec = run.spec;
    judge::GateRun result{};
    result.name = spec.name;
    result.verdict = view.verdict;
    result.never_began = view.never_began;
    result.has_roster = !spec.roster.empty();
    result.scratch = spec.scratch;
    result.work_dir = spec.work_dir;
    why.scratch = scratch_of(spec, scratch_, why.scratch);
    if (spec.scratch) why.directories[spec.run_dir] = Explained::scratch;

    Seen seen{};
    TRY_ASSIGN(const KeptCopies kept, kept_copies(op, deps_.ledger, run.id, CopyCheck::thorough, &dying_));
    TRY(read_proofs(run, kept, seen.proofs));
    for (const auto* files : {&kept.here, &kept.gone}) {
        for (const ledger::ProvenFile& file : *files) {
            const model::ManifestEntry& entry = file.entry.file;
            seen.proven_paths.insert(entry.path);
            seen.received =
                seen.received || (entry.wanted == model::RosterClass::must && !entry.path.starts_with(k_run_prefix));
        }
    }
    TRY_ASSIGN(const auto copies, deps_.ledger.copies(run.id));
    for (const ledger::PlacedCopy& copy : copies)
        seen.proven_paths.insert(copy.file.path);

    const auto root = roots_.open(op, spec.run_dir);
    if (!root && root.error().code == Code::not_found) {
        // With the project's root in place, the directory is gone for good; without it, the disk may only be absent.
        result.vanished = view.facts && view.facts->directory == model::RunDirectory::absent;
        result.code = judge::CodeState::none;
        if (!result.vanished) return result;
        TRY_ASSIGN(const auto manifest, deps_.ledger.latest_manifest(run.id));
        if (const auto risk = risk_of(run, manifest, kept.here)) result.unproven = risk->reason;
        return result;
    }
    if (!root && ends_the_look(root.error())) return root.error();
    if (!root) return result;
    seen.root = *root;
    const auto tolerate = [](const Status& status) { return status.has_value() || !ends_the_look(status.error()); };
    if (const Status looked = units(op, run, seen, result); !looked) {
        if (ends_the_look(looked.error())) return looked.error();
        result.units.clear();
        result.scanned = false;
        return result;
    }
    for (const std::string& path : seen.unit_paths)
        why.files[spec.run_dir + "/" + box_path(path)] = Explained::roster;
    if (const Status hashed = code(op, run, result); !tolerate(hashed)) return hashed.error();
    if (spec.scratch) return result;
    if (const Status done = unchanged_code(op, run, seen, why); !tolerate(done)) return done.error();
    if (const Status done = proven_files(op, run, seen, why); !tolerate(done)) return done.error();
    return result;
}

}  // namespace drawhitch::flow
