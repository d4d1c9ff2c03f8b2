#include "flow/run_files.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "core/parse/glob.hpp"
#include "core/plan/home_names.hpp"
#include "core/proto/limits.hpp"
#include "core/proto/path.hpp"

namespace drawhitch::flow {

namespace {

constexpr std::string_view k_work = "work";
constexpr std::array<std::string_view, 4> k_record{"exit.json", "log", "run.json", "run.sh"};

struct Pattern {
    parse::Glob glob{};
    model::RosterClass wanted{model::RosterClass::must};
};

Result<std::vector<Pattern>> compile(const model::Roster& roster) {
    std::vector<Pattern> patterns;
    for (const model::RosterItem& item : roster) {
        TRY_ASSIGN(auto glob, parse::Glob::compile(item.pattern));
        patterns.push_back({std::move(glob), item.wanted});
    }
    return patterns;
}

// The strictest class that covers the file; scratch only if nothing else does.
std::optional<plan::Wanted> match(std::span<const Pattern> patterns, std::string_view path) {
    if (path.starts_with(k_run_prefix)) return plan::Wanted{};
    const std::string inside = plan::work_name(path);
    std::optional<plan::Wanted> best;
    for (const Pattern& pattern : patterns) {
        const auto unit = pattern.glob.unit_of(inside);
        if (!unit || (best && best->wanted <= pattern.wanted)) continue;
        best = plan::Wanted{pattern.wanted, *unit == inside ? std::string{} : plan::home_name(*unit)};
    }
    return best;
}

// Names in the run's directory, back to what manifests call them; nothing for what is no part of them.
std::optional<std::string> manifest_path(std::string_view path) {
    if (proto::is_within(path, k_work) && path.size() > k_work.size())
        return plan::home_name(path.substr(k_work.size() + 1));
    if (std::find(k_record.begin(), k_record.end(), path) != k_record.end()) {
        return std::string{k_run_prefix} + std::string{path};
    }
    return std::nullopt;
}

class Scanner {
  public:
    Scanner(std::vector<Pattern> patterns, const RunScan& wanted, RunFiles& found)
        : patterns_(std::move(patterns)),
          with_scratch_(wanted.scratch),
          with_directories_(wanted.directories),
          matched_(patterns_.size(), false),
          found_(found) {}

    Status take(proto::FileEntry&& entry) {
        auto path = manifest_path(entry.path);
        if (!path) return ok();
        entry.path = std::move(*path);
        const bool directory = entry.type == proto::FileType::directory;
        if (!directory) note_matches(entry.path);
        if (directory && with_directories_) found_.directories[entry.path] = {entry.mtime_ns, entry.ctime_ns};
        const auto wanted = classify(entry.path);
        if (!wanted || (wanted->wanted == model::RosterClass::scratch && !with_scratch_)) return ok();
        if (entry.type == proto::FileType::file && (entry.error == 0 || entry.error == k_changed_while_hashed)) {
            found_.entries.push_back(std::move(entry));
        } else if (entry.type != proto::FileType::directory || entry.error != 0) {
            found_.left_out.push_back(std::move(entry));
        }
        return ok();
    }

    // A directory that cannot be read is wanted if anything below it might be.
    [[nodiscard]] std::optional<plan::Wanted> classify(std::string_view path) const { return match(patterns_, path); }

    [[nodiscard]] std::vector<std::size_t> unmatched() const {
        std::vector<std::size_t> items;
        for (std::size_t i = 0; i < matched_.size(); ++i) {
            if (!matched_[i]) items.push_back(i);
        }
        return items;
    }

  private:
    void note_matches(std::string_view path) {
        if (path.starts_with(k_run_prefix)) return;
        const std::string inside = plan::work_name(path);
        for (std::size_t i = 0; i < patterns_.size(); ++i) {
            if (!matched_[i] && patterns_[i].glob.covers(inside)) matched_[i] = true;
        }
    }

    static constexpr std::int32_t k_changed_while_hashed = 116;  // ESTALE, see docs/protocol.md "scan"
    std::vector<Pattern> patterns_;
    bool with_scratch_;
    bool with_directories_;
    std::vector<bool> matched_;
    RunFiles& found_;
};

// There may be as many directories as files, and what counts is the checkpoints among them.
void keep_unit_directories(RunFiles& found) {
    std::set<std::string_view> units;
    for (const plan::Unit& unit : found.units)
        if (unit.kind == plan::UnitKind::directory) units.insert(unit.name);
    std::erase_if(found.directories, [&](const auto& directory) { return !units.contains(directory.first); });
}

Status find_writers(const Op& op, agent::Agent& agent, proto::RootId root, RunFiles& found) {
    found.being_written.assign(found.entries.size(), false);
    if ((agent.hello().capabilities & proto::k_cap_writers) == 0) return ok();
    TRY_ASSIGN(const proto::WritersFound writers, agent.writers(op, root));
    std::set<std::pair<std::uint64_t, std::uint64_t>> open;
    for (const proto::OpenFile& file : writers.files) {
        open.emplace(file.dev, file.ino);
    }
    for (std::size_t i = 0; i < found.entries.size(); ++i) {
        found.being_written[i] = open.contains({found.entries[i].dev, found.entries[i].ino});
    }
    found.writers_known = writers.complete;
    return ok();
}

}  // namespace

std::string box_path(std::string_view path) {
    if (path.starts_with(k_run_prefix)) return std::string{path.substr(k_run_prefix.size())};
    return std::string{k_work} + "/" + plan::work_name(path);
}

Result<RunFiles> scan_run_files(const Op& op, agent::Agent& agent, proto::RootId root, const RunScan& wanted) {
    TRY_ASSIGN(auto patterns, compile(wanted.roster));
    RunFiles found{};
    Scanner scanner{std::move(patterns), wanted, found};
    proto::Scan scan{};
    scan.root = root;
    TRY_ASSIGN(const proto::ScanEnd end,
               agent.scan(op, scan, [&scanner](proto::FileEntry&& entry) { return scanner.take(std::move(entry)); }));
    found.box_seconds = end.wall_seconds;
    found.unmatched = scanner.unmatched();
    TRY(find_writers(op, agent, root, found));
    found.units = plan::units(found.entries, [&](std::string_view path) { return scanner.classify(path); });
    keep_unit_directories(found);
    return found;
}

WallTime wall_of(std::int64_t nanoseconds) {
    constexpr std::int64_t k_second = 1'000'000'000;
    const std::int64_t whole = nanoseconds / k_second - (nanoseconds % k_second < 0 ? 1 : 0);
    return {whole, static_cast<std::int32_t>(nanoseconds - whole * k_second)};
}

Status add_digests(const Op& op, agent::Agent& agent, proto::RootId root, std::vector<proto::FileEntry>& entries,
                   const DigestsOf& wanted) {
    const std::span<const std::size_t> which = wanted.which;
    for (std::size_t at = 0; at < which.size();) {
        proto::Scan scan{};
        scan.root = root;
        scan.digests = true;
        scan.sha256 = true;
        scan.rehash = wanted.rehash;
        std::map<std::string, std::size_t> asked;
        for (std::size_t bytes = 0; at < which.size() && bytes < proto::k_path_bytes; ++at) {
            const std::string path = box_path(entries[which[at]].path);
            bytes += path.size() + 8;
            asked.emplace(path, which[at]);
            scan.subtrees.push_back(path);
        }
        TRY(agent.scan(op, scan, [&](proto::FileEntry&& entry) -> Status {
            const auto found = asked.find(entry.path);
            if (found == asked.end()) return ok();
            entry.path = entries[found->second].path;
            entries[found->second] = std::move(entry);
            asked.erase(found);
            return ok();
        }));
        for (const auto& [path, index] : asked) {
            entries[index].type = proto::FileType::unknown;
        }
    }
    return ok();
}

}  // namespace drawhitch::flow
