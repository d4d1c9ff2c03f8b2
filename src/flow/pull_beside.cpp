#include "flow/pull_beside.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.hpp"
#include "core/parse/glob.hpp"
#include "flow/pull_parts.hpp"
#include "flow/release_look.hpp"
#include "flow/run_files.hpp"

namespace drawhitch::flow {

namespace {

// As many patterns go into the line to type.
constexpr std::size_t k_proposed = 4;

// Sizes by path of what came with the code; nothing if that is not known.
Result<std::optional<std::map<std::string, std::uint64_t>>> released_files(const ledger::Ledger& ledger,
                                                                           const model::Run& run) {
    std::map<std::string, std::uint64_t> files;
    if (run.spec.code_hash.empty()) return std::optional{std::move(files)};
    TRY_ASSIGN(const Manifest manifest, known_manifest(ledger, run.lease, run.spec.code_hash));
    if (!manifest) return std::optional<std::map<std::string, std::uint64_t>>{};
    for (const proto::FileEntry& entry : *manifest)
        if (entry.type == proto::FileType::file) files[entry.path] = entry.size;
    return std::optional{std::move(files)};
}

bool is_named(const std::vector<parse::Glob>& globs, std::string_view path) {
    return std::ranges::any_of(globs, [path](const parse::Glob& glob) { return glob.covers(path); });
}

Result<std::vector<parse::Glob>> compiled(const model::Roster& roster) {
    std::vector<parse::Glob> globs;
    for (const model::RosterItem& item : roster) {
        TRY_ASSIGN(auto glob, parse::Glob::compile(item.pattern));
        globs.push_back(std::move(glob));
    }
    return globs;
}

// The user's own patterns, as far as they meet something.
Result<std::vector<plan::ProposedPattern>> asked_for(const std::vector<plan::OutputFile>& outputs,
                                                     const std::vector<std::string>& patterns) {
    std::vector<plan::ProposedPattern> list;
    for (const std::string& pattern : patterns) {
        TRY_ASSIGN(const auto glob, parse::Glob::compile(pattern));
        plan::ProposedPattern asked{.pattern = pattern};
        for (const plan::OutputFile& output : outputs) {
            if (!glob.covers(output.path)) continue;
            ++asked.files;
            asked.bytes += output.bytes;
        }
        if (asked.files > 0) list.push_back(std::move(asked));
    }
    return list;
}

std::string told(const plan::ProposedPattern& pattern) {
    return printable(pattern.pattern) + " (" + counted(pattern.files, "file") + ", " + human_bytes(pattern.bytes) + ")";
}

bool still_there(const model::ReceiptEntry& entry) {
    struct stat found {};
    return ::lstat(entry.local_path.c_str(), &found) == 0 && S_ISREG(found.st_mode) &&
           static_cast<std::uint64_t>(found.st_size) == entry.file.size;
}

}  // namespace

Result<std::vector<plan::ProposedPattern>> unnamed_outputs(const Op& op, agent::Agent& agent, proto::RootId root,
                                                           const ledger::Ledger& ledger, const model::Run& run,
                                                           const std::vector<std::string>& patterns) {
    std::vector<plan::ProposedPattern> none{};
    TRY_ASSIGN(const auto released, released_files(ledger, run));
    if (!released) return none;
    TRY_ASSIGN(const auto named, compiled(run.spec.roster));
    const model::Roster everything{{"**", model::RosterClass::must}};
    TRY_ASSIGN(const RunFiles files, scan_run_files(op, agent, root, {.roster = everything}));
    std::vector<plan::OutputFile> outputs;
    for (const proto::FileEntry& entry : files.entries) {
        const auto came = released->find(entry.path);
        const bool ours = came != released->end() && came->second == entry.size;
        if (ours || entry.path.starts_with(k_run_prefix) || is_named(named, entry.path)) continue;
        outputs.push_back({entry.path, entry.size});
    }
    TRY_ASSIGN(auto asked, asked_for(outputs, patterns));
    if (!asked.empty()) return asked;
    std::vector<std::string> kept;
    for (const auto& [path, size] : *released)
        kept.push_back(path);
    auto proposed = plan::propose_roster(outputs, kept);
    std::erase_if(proposed, [](const auto& one) { return !parse::Glob::compile(one.pattern).has_value(); });
    return proposed;
}

Error advise_outputs(Error error, const std::string& box, const std::string& run, const PullOptions& options,
                     const std::vector<plan::ProposedPattern>& outputs) {
    if (outputs.empty()) return error;
    PullOptions wider{};
    wider.to = options.to;
    std::string line = pull_command(wider, box, run);
    std::string there;
    for (std::size_t i = 0; i < outputs.size() && i < k_proposed; ++i) {
        there += (there.empty() ? "" : ", ") + told(outputs[i]);
        line += " --out " + shell_word(outputs[i].pattern);
    }
    if (outputs.size() > k_proposed) there += " and more";
    error.why += (error.why.empty() ? "" : "; ") + std::string{"what it has made and nobody named: "} + there;
    return std::move(error).then(line);
}

Result<std::vector<ElsewhereCopy>> copies_elsewhere(const ledger::Ledger& ledger, std::int64_t run,
                                                    const std::string& directory,
                                                    const std::vector<model::ManifestEntry>& files) {
    std::vector<ElsewhereCopy> copies;
    if (files.empty()) return copies;
    std::map<std::string_view, const model::ManifestEntry*> wanted;
    for (const model::ManifestEntry& file : files)
        wanted[file.path] = &file;
    TRY_ASSIGN(const auto places, ledger.covered(run));
    std::map<std::string, ElsewhereCopy> found;
    for (const ledger::ProvenFile& place : places) {
        const model::ManifestEntry& proven = place.entry.file;
        const auto asked = wanted.find(proven.path);
        const std::string below = "/" + proven.path;
        const std::string& path = place.entry.local_path;
        if (asked == wanted.end() || !path.ends_with(below)) continue;
        if (asked->second->size != proven.size || asked->second->mtime != proven.mtime) continue;
        const std::string home = path.substr(0, path.size() - below.size());
        if (home == directory || !still_there(place.entry)) continue;
        ElsewhereCopy& copy = found[home];
        copy.directory = home;
        ++copy.files;
        copy.bytes += proven.size;
    }
    for (auto& [home, copy] : found)
        copies.push_back(std::move(copy));
    std::ranges::stable_sort(copies, [](const ElsewhereCopy& a, const ElsewhereCopy& b) { return a.bytes > b.bytes; });
    return copies;
}

}  // namespace drawhitch::flow
