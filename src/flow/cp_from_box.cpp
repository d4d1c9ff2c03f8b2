#include <sys/stat.h>

#include <limits>
#include <map>
#include <set>

#include "base/text.hpp"
#include "core/plan/pull.hpp"
#include "core/plan/tree_policy.hpp"
#include "flow/bandwidth.hpp"
#include "flow/cp_names.hpp"
#include "flow/cp_places.hpp"
#include "flow/cp_task.hpp"
#include "flow/hash_files.hpp"
#include "flow/transfer/pull_files.hpp"

namespace drawhitch::flow {

namespace {

using proto::FileEntry;
using proto::FileType;

// A file of the laptop that had the box's content before anything was copied.
struct SameHere {
    std::string root{};
    std::string sha256{};
    disk::Stamp stamp{};
};

class CopyFromBox final : public Copy {
  public:
    using Copy::Copy;

  private:
    Result<Place> place_of_source(const agent::Agent& agent) const {
        TRY_ASSIGN(const std::string path, absolute_on_box(options_.box_path, agent.hello().home));
        const Place from = split_place(path);
        return from.name.empty() ? split_place(from.directory) : from;
    }

    [[nodiscard]] Place place_here(const std::string& name) const {
        const Place to = split_place(options_.local_path);
        if (!to.name.empty() && !is_local_directory(options_.local_path)) return to;
        return {joined_path(to.directory, to.name), name.empty() ? "root" : name};
    }

    // How large it is only the box knows: what is here already is probably the same, and of the rest the name tells.
    [[nodiscard]] std::uint64_t expected_bytes() const {
        const std::string name = split_place(options_.box_path).name;
        const Place to = place_here(name);
        struct stat found {};
        const bool here = ::lstat(joined_path(to.directory, to.name).c_str(), &found) == 0;
        return !here && plan::holds_weights(name) ? std::numeric_limits<std::uint64_t>::max() : 0;
    }

    Result<CpReport> copy() override {
        EarlyLinks early{op_, [this, &early, lease = lease_](const Op& op) -> Result<Link> {
                             TRY_ASSIGN(Link link, connect_beside(op, lease, early));
                             TRY_ASSIGN(const Place from, place_of_source(*link.agent));
                             return open(op, std::move(link), from.directory);
                         }};
        TRY_ASSIGN(Link link, connect_first(early, expected_bytes()));
        TRY_ASSIGN(const Place from, place_of_source(*link.agent));
        TRY_ASSIGN(const auto entries, look(link, from));
        const Place to = place_here(from.name);
        report_.destination = joined_path(to.directory, to.name);
        here_ = to.directory;
        TRY(look_here(link, entries, from.name, to));
        for (const std::string& other : standing_.other)
            report_.replaced.push_back(joined_path(to.directory, other));
        const std::string source = joined_path(from.directory, from.name);
        const std::string id = "cp-" + proto::sha256(lease_.name + '\0' + source).hex().substr(0, 16);
        if (deps_.dry_run) return plan_from_box(entries, from, to, id);
        TRY_ASSIGN(disk::Root root, disk::Root::create(to.directory));
        TRY_ASSIGN(const auto landing, disk::Landing::open(std::move(root), id));
        std::vector<PullItem> items;
        for (const FileEntry& entry : entries) {
            TRY(plan_entry(entry, from, to.name, landing.get(), items));
        }
        const std::string directory = from.directory;
        const Dial dial = [this, directory, &early](const Op& op) -> Result<Link> {
            TRY_ASSIGN(auto begun, early.take(op));
            if (begun) return std::move(*begun);
            TRY_ASSIGN(Link fresh, connect(op, lease_, {}));
            return open(op, std::move(fresh), directory);
        };
        const PullOutcome outcome = pull_files(op_, {dial, std::move(link)}, *landing, std::move(items),
                                               PullLimits{.connections = most_connections(deps_, lease_)});
        take(outcome, landing->destination());
        if (!report_.problem) TRY(landing->discard());
        return std::move(report_);
    }

    Result<CpReport> plan_from_box(const std::vector<FileEntry>& entries, const Place& from, const Place& to,
                                   const std::string& id) {
        std::vector<PullItem> items;
        for (const FileEntry& entry : entries)
            TRY(plan_entry(entry, from, to.name, nullptr, items));
        if (const auto root = disk::Root::open(to.directory)) {
            for (const PullItem& item : items)
                report_.held += disk::Landing::held_of(*root, id, item.target, part_plan(item));
        }
        return planned();
    }

    // What the copy would land on here, before anything is made.
    Status look_here(Link& link, const std::vector<FileEntry>& entries, const std::string& from, const Place& to) {
        std::vector<CopyTarget> targets;
        std::map<std::string, std::string> sources;
        for (const FileEntry& entry : entries) {
            if (is_private_part(entry.path) || entry.error != 0) continue;
            if (entry.type != FileType::file && entry.type != FileType::symlink) continue;
            targets.push_back({joined_path(to.name, path_below(entry.path, from)), entry.size,
                               entry.type == FileType::symlink ? entry.target : std::string{}});
            sources[targets.back().path] = entry.path;
        }
        const SameContent is_same = [&](const CopyTarget& target) -> Result<bool> {
            TRY_ASSIGN(const disk::Root root, disk::Root::open(to.directory));
            TRY_ASSIGN(const struct stat before, root.stat_entry(target.path));
            const disk::Stamp stamp = stamp_at_rest(disk::stamp_of(before), op_.clock.wall());
            TRY_ASSIGN(const auto here, hash_files(op_, root, {target.path}, {.sha256 = true}));
            if (here.front().error) return false;
            proto::Hash request{};
            request.root = link.root;
            request.path = sources[target.path];
            const auto there = link.agent->hash(op_, request);
            if (!there || here.front().digests.root != there->entry.root) return false;
            const auto& digests = here.front().digests;
            same_here_[target.path] = {digests.root.hex(), sha256_of(digests), stamp};
            return true;
        };
        TRY_ASSIGN(standing_, standing_here(to.directory, targets, is_same));
        return deps_.dry_run ? ok() : agree_to_replace(op_, deps_, standing_.other, options_.again);
    }

    static Result<Link> open(const Op& op, Link link, const std::string& directory) {
        TRY_ASSIGN(link.root, link.agent->open_root(op, directory, false));
        return link;
    }

    // All of it, and the root that its directory became.
    Result<std::vector<FileEntry>> look(Link& link, const Place& from) {
        proto::Scan scan{};
        if (!from.name.empty()) scan.subtrees = {from.name};
        std::vector<FileEntry> entries;
        TRY_ASSIGN(link.root, link.agent->open_and_scan(op_, from.directory, scan, [&](FileEntry&& entry) -> Status {
            entries.push_back(std::move(entry));
            return ok();
        }));
        if (entries.empty() || (entries.size() == 1 && entries.front().type == FileType::unknown)) {
            return Error{Code::not_found, "nothing can be read at " + printable(options_.box_path) + " on the box"};
        }
        return entries;
    }

    // `landing` is null where nothing is to be made.
    Status plan_entry(const FileEntry& entry, const Place& from, const std::string& to, disk::Landing* landing,
                      std::vector<PullItem>& items) {
        const std::size_t start = from.name.size();
        const std::string inner = entry.path.size() > start ? entry.path.substr(start + 1) : std::string{};
        const std::string target = joined_path(to, inner);
        if (is_private_part(entry.path)) return ok();
        if (entry.error != 0 && entry.type != FileType::file) {
            leave_out(target, "it cannot be read on the box");
            return ok();
        }
        if (entry.type == FileType::directory) return landing ? landing->make_directory(target) : ok();
        if (entry.type == FileType::file) {
            CopiedFile file{};
            file.path = target;
            file.size = entry.size;
            file.box_path = joined_path(from.directory, entry.path);
            const bool same = standing_.same.count(target) > 0;
            if (same) {
                file.state = FileState::kept;
                file.root = same_here_[target].root;
                file.sha256 = same_here_[target].sha256;
                file.stamp = same_here_[target].stamp;
            }
            report_.files.push_back(std::move(file));
            if (same) return ok();
            item_files_.push_back(report_.files.size() - 1);
            items.push_back({entry, target, false, false});
            return ok();
        }
        const bool stays_inside = entry.type == FileType::symlink &&
                                  plan::classify_link(inner, entry.target, [](std::string_view) -> const FileEntry* {
                                      return nullptr;
                                  }) == plan::LinkKind::dangling;
        if (!stays_inside) {
            leave_out(target,
                      entry.type == FileType::symlink ? "the link leads out of what is copied" : "no regular file");
            return ok();
        }
        return landing ? landing->make_symlink(target, entry.target) : ok();
    }

    void take(const PullOutcome& outcome, const disk::Root& root) {
        report_.wire = outcome.tally.wire;
        report_.problem = outcome.stopped;
        report_.stopped = outcome.stopped.has_value();
        report_.arrived = outcome.tally.fetched + outcome.tally.resumed;
        for (std::size_t i = 0; i < outcome.results.size(); ++i) {
            CopiedFile& file = report_.files[item_files_[i]];
            file.state = outcome.results[i].state;
            file.why = outcome.results[i].why;
            if (file.state == FileState::unfinished) file.why = k_ended_before;
            file.size = outcome.results[i].size;
            if (file.state == FileState::pulled) {
                file.sha256 = outcome.results[i].sha256.hex();
                file.root = outcome.results[i].root.hex();
                note_landed(file, outcome.results[i].mtime_ns, root);
            }
            if (outcome.results[i].code == Code::integrity && !report_.problem) {
                report_.problem = Error{Code::integrity, printable(file.path) + " arrived wrong three times"};
            }
        }
        find_displaced(root);
        count_skips();
    }

    // Only where nobody can have written since.
    static void note_landed(CopiedFile& file, std::int64_t mtime_ns, const disk::Root& root) {
        const auto found = root.stat_entry(file.path);
        if (!found || !S_ISREG(found->st_mode)) return;
        const disk::Stamp stamp = disk::stamp_of(*found);
        if (stamp.size == file.size && stamp.mtime_ns == mtime_ns) file.stamp = stamp;
    }

    // Like a pull: what counts is what the names lead to when all is done.
    void find_displaced(const disk::Root& root) {
        const Status whole = root.expect_itself();
        for (CopiedFile& file : report_.files) {
            if (file.state != FileState::pulled) continue;
            const Status here = whole ? root.expect_file(file.path, file.size) : whole;
            if (here) continue;
            file.state = FileState::displaced;
            file.why = here.error().message;
            if (report_.problem) continue;
            report_.problem = Error{Code::integrity, printable(file.path) + " was copied and is not there any more"}
                                  .because(here.error().message)
                                  .then(options_.again);
        }
    }

    std::vector<std::size_t> item_files_{};
    std::map<std::string, SameHere> same_here_{};
};

}  // namespace

std::unique_ptr<Copy> copy_from_box(const Op& op, Deps& deps, const CpOptions& options) {
    return std::make_unique<CopyFromBox>(op, deps, options);
}

}  // namespace drawhitch::flow
