#include "flow/cp.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>

#include "base/random.hpp"
#include "base/text.hpp"
#include "core/exchange/copied_json.hpp"
#include "core/plan/tree_policy.hpp"
#include "flow/box.hpp"
#include "flow/cp_names.hpp"
#include "flow/cp_places.hpp"
#include "flow/cp_private.hpp"
#include "flow/cp_replace.hpp"
#include "flow/hash_files.hpp"
#include "flow/lease_word.hpp"
#include "flow/local_tree.hpp"
#include "flow/transfer/pull_files.hpp"
#include "flow/transfer/push_files.hpp"
#include "io/disk/tree_walk.hpp"
#include "io/ledger/ledger.hpp"

namespace drawhitch::flow {

namespace {

using proto::FileEntry;
using proto::FileType;

// A file may change twice within one tick of its clock, which is 2 s long on some file systems.
constexpr std::int64_t k_rest_seconds = 2;
constexpr const char* k_ended_before = "the copy ended before it was whole";
constexpr std::size_t k_stat_batch = 500;  // paths in one question to the box

bool is_there(const CopiedFile& file) {
    return file.state == FileState::pulled || file.state == FileState::kept;
}

// The state, if any later change must show in it.
disk::Stamp stamp_at_rest(const disk::Stamp& stamp, WallTime now) {
    const std::int64_t newest = std::max(stamp.mtime_ns, stamp.ctime_ns) / 1'000'000'000;
    return newest + k_rest_seconds < now.seconds ? stamp : disk::Stamp{};
}

bool is_special(const FileEntry& entry) {
    return entry.type != FileType::file && entry.type != FileType::directory && entry.type != FileType::symlink;
}

// A file of the laptop that had the box's content before anything was copied.
struct SameHere {
    std::string root{};
    std::string sha256{};
    disk::Stamp stamp{};
};

std::string sha256_of(const proto::FileDigester::Result& digests) {
    return digests.sha256 ? digests.sha256->hex() : std::string{};
}

class Copy {
  public:
    Copy(const Op& op, Deps& deps, const CpOptions& options) : op_(op), deps_(deps), options_(options) {}

    Result<CpReport> run() {
        TRY_ASSIGN(lease_, options_.to_box ? lease_to_change(deps_.ledger, options_.box)
                                           : lease_to_read(deps_.ledger, options_.box));
        TRY_ASSIGN(Box connected, Box::connect(op_, deps_, lease_));
        auto box = std::make_shared<Box>(std::move(connected));
        lease_ = box->lease();
        TRY_ASSIGN(const std::string path, absolute_on_box(options_.box_path, box->agent().hello().home));
        auto copied = options_.to_box ? to_box(std::move(box), path) : from_box(std::move(box), path);
        if (copied && !deps_.dry_run) TRY(record(*copied));
        return copied;
    }

  private:
    // A teardown need not ask about what has the same content here and there.
    Status record(const CpReport& report) {
        std::vector<exchange::CopiedEntry> some;
        const auto append = [&] {
            const std::string text = exchange::copied_json(options_.to_box, std::exchange(some, {}));
            return deps_.ledger.append_event(lease_.id, std::nullopt, std::string{exchange::k_copied_event}, text);
        };
        for (const CopiedFile& file : report.files) {
            if (!is_there(file) || file.root.empty()) continue;
            const disk::Stamp& stamp = file.stamp;
            some.push_back({file.box_path,
                            file.root,
                            file.size,
                            joined_path(here_, file.path),
                            {stamp.ino, stamp.mtime_ns, stamp.ctime_ns, stamp.size}});
            if (some.size() >= exchange::k_copied_per_event) TRY(append());
        }
        return some.empty() ? ok() : append();
    }

    // --- from the box ---

    Result<CpReport> from_box(std::shared_ptr<Box> box, const std::string& path) {
        Place from = split_place(path);
        if (from.name.empty()) from = split_place(from.directory);
        TRY_ASSIGN(Link link, open(std::move(box), from.directory));
        TRY_ASSIGN(const auto entries, scan(link, from.name));
        Place to = split_place(options_.local_path);
        if (to.name.empty() || is_local_directory(options_.local_path)) {
            to = {joined_path(to.directory, to.name), from.name.empty() ? "root" : from.name};
        }
        report_.destination = joined_path(to.directory, to.name);
        here_ = to.directory;
        TRY(look_here(link, entries, from.name, to));
        for (const std::string& other : standing_.other)
            report_.replaced.push_back(joined_path(to.directory, other));
        const std::string id = "cp-" + proto::sha256(lease_.name + '\0' + path).hex().substr(0, 16);
        if (deps_.dry_run) return plan_from_box(entries, from, to, id);
        TRY_ASSIGN(disk::Root root, disk::Root::create(to.directory));
        TRY_ASSIGN(const auto landing, disk::Landing::open(std::move(root), id));
        std::vector<PullItem> items;
        for (const FileEntry& entry : entries) {
            TRY(plan_entry(entry, from, to.name, landing.get(), items));
        }
        const std::string directory = from.directory;
        const Dial dial = [this, directory](const Op& op) -> Result<Link> {
            TRY_ASSIGN(Box connected, Box::connect(op, deps_, lease_));
            return open(std::make_shared<Box>(std::move(connected)), directory);
        };
        const PullOutcome outcome = pull_files(op_, {dial, std::move(link)}, *landing, std::move(items),
                                               PullLimits{.connections = deps_.connector.most_at_once(lease_)});
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

    // What is neither there nor left out would be copied.
    CpReport planned() {
        const std::set<std::string> replaced{report_.replaced.begin(), report_.replaced.end()};
        for (CopiedFile& file : report_.files) {
            file.planned = !is_there(file) && file.why.empty();
            const std::string target = options_.to_box ? file.box_path : joined_path(here_, file.path);
            if (file.planned && replaced.contains(target)) file.why = "other content is there and would be replaced";
        }
        report_.planned = true;
        return std::move(report_);
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

    Result<Link> open(std::shared_ptr<Box> box, const std::string& directory) {
        agent::Agent& agent = box->agent();
        TRY_ASSIGN(const proto::RootId root, agent.open_root(op_, directory, false));
        return Link{std::move(box), &agent, root, std::nullopt};
    }

    Result<std::vector<FileEntry>> scan(Link& link, const std::string& name) {
        proto::Scan scan{};
        scan.root = link.root;
        if (!name.empty()) scan.subtrees = {name};
        std::vector<FileEntry> entries;
        TRY(link.agent->scan(op_, scan, [&](FileEntry&& entry) -> Status {
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

    void leave_out(const std::string& path, std::string why) {
        CopiedFile file{};
        file.path = path;
        file.why = std::move(why);
        report_.files.push_back(std::move(file));
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

    void count_skips() {
        const auto skipped =
            std::count_if(report_.files.begin(), report_.files.end(), [](const CopiedFile& f) { return !is_there(f); });
        if (skipped > 0 && !report_.problem) {
            report_.problem = Error{Code::skipped, std::to_string(skipped) + " of " +
                                                       counted(report_.files.size(), "entry", "entries") +
                                                       (skipped == 1 ? " was" : " were") + " not copied"};
        }
    }

    // --- to the box ---

    Result<CpReport> to_box(std::shared_ptr<Box> box, const std::string& path) {
        Place from = split_place(options_.local_path);
        if (from.name.empty()) from = split_place(from.directory);
        TRY_ASSIGN(disk::Root parent, disk::Root::open(from.directory));
        TRY_ASSIGN(const Place to, place_on_box(box->agent(), path, from.name));
        report_.destination = joined_path(to.directory, to.name);
        here_ = from.directory;
        TRY_ASSIGN(auto entries, local_entries(parent, from.name));
        TreeSource source{std::move(parent)};
        TRY_ASSIGN(auto items, hashed_items(source, entries, from.name, to));
        TRY(look_there(box->agent(), entries, from.name, to, items));
        report_.replaced = standing_.other;
        if (deps_.dry_run) return plan_to_box(box->agent(), entries, to.directory, items);
        TRY_ASSIGN(const bool removes, makes_private(op_, deps_, box->agent(), lease_.id, to.directory));
        TRY(deps_.ledger.append_event(lease_.id, std::nullopt, std::string{exchange::k_writing_event},
                                      exchange::writing_json(to.directory, removes)));
        const Dial dial = claiming_dial(to.directory);
        fence_.emplace(agent::ClaimOptions{owner_, 0, false, "cp"});
        TRY_ASSIGN(Link link, claim(op_, std::move(box), to.directory));
        TRY(check_names_there(op_, link, entries, to));
        TRY(make_rest(link, entries, from.name, to.name));
        const ReadPiece read = [&source](const std::string& file, std::uint64_t offset, std::size_t size) {
            return source.read(file, offset, size);
        };
        PushOutcome outcome = push_files(op_, {dial, std::move(link)}, *fence_, read, items,
                                         PushLimits{.connections = deps_.connector.most_at_once(lease_), .sync = true});
        take(outcome, items);
        if (outcome.link) add(report_.wire, outcome.link->agent->session().traffic());
        if (removes && !report_.problem) remove_private(op_, std::move(*outcome.link), dial);
        return std::move(report_);
    }

    Result<CpReport> plan_to_box(agent::Agent& agent, const std::vector<FileEntry>& entries,
                                 const std::string& directory, const std::vector<PushItem>& items) {
        TRY_ASSIGN(report_.held, held_on_box(op_, agent, directory, items));
        for (const FileEntry& entry : entries)
            if (is_special(entry)) leave_out(entry.path, "no regular file");
        return planned();
    }

    void take(const PushOutcome& outcome, const std::vector<PushItem>& items) {
        report_.wire = outcome.tally.wire;
        report_.problem = outcome.stopped;
        report_.stopped = outcome.stopped.has_value();
        report_.arrived = outcome.tally.sent + outcome.tally.resumed;
        std::set<std::string_view> whole;
        for (std::size_t i = 0; i < items.size(); ++i)
            if (outcome.whole[i]) whole.insert(items[i].source);
        const std::set<std::string_view> changed{outcome.changed.begin(), outcome.changed.end()};
        for (CopiedFile& file : report_.files) {
            if (!file.why.empty() || file.state == FileState::kept) continue;
            file.state = whole.contains(file.path) ? FileState::pulled : FileState::unfinished;
            if (file.state == FileState::unfinished) file.why = k_ended_before;
            if (!changed.contains(file.path)) continue;
            file.state = FileState::changing;
            file.why = "it changed while it was copied";
        }
        count_skips();
    }

    // What the copy would land on there, before anything is made or claimed. What is there already is sent no more.
    Status look_there(agent::Agent& agent, const std::vector<FileEntry>& entries, const std::string& from,
                      const Place& to, std::vector<PushItem>& items) {
        std::vector<std::string> targets;
        std::vector<std::string> absolute{joined_path(to.directory, to.name)};
        for (const FileEntry& entry : entries) {
            targets.push_back(joined_path(to.name, path_below(entry.path, from)));
            absolute.push_back(joined_path(to.directory, targets.back()));
        }
        TRY(refuse_records(lease_.root, absolute));
        const auto root = agent.open_root(op_, to.directory, false);
        if (!root && (root.error().code == Code::not_found || root.error().code == Code::remote_failed)) return ok();
        if (!root) return root.error();
        std::map<std::string, proto::Digest> wanted;
        for (const PushItem& item : items)
            wanted[item.target] = item.root;
        std::vector<FileEntry> found;
        for (std::size_t at = 0; at < targets.size(); at += k_stat_batch) {
            const auto first = targets.begin() + static_cast<std::ptrdiff_t>(at);
            const auto count = std::min(k_stat_batch, targets.size() - at);
            TRY_ASSIGN(auto some, agent.stat(op_, *root, {first, first + static_cast<std::ptrdiff_t>(count)}));
            std::move(some.begin(), some.end(), std::back_inserter(found));
        }
        for (std::size_t i = 0; i < entries.size() && i < found.size(); ++i) {
            if (found[i].error != 0 || found[i].type == FileType::unknown) continue;
            TRY_ASSIGN(const bool same, stands_there(agent, *root, entries[i], found[i], wanted));
            const bool matters = entries[i].type == FileType::symlink || wanted.count(targets[i]) > 0;
            if (!matters) continue;
            if (!same) standing_.other.push_back(joined_path(to.directory, targets[i]));
            if (same) standing_.same.insert(targets[i]);
        }
        if (!deps_.dry_run) TRY(agree_to_replace(op_, deps_, standing_.other, options_.again));
        std::erase_if(items, [this](const PushItem& item) { return standing_.same.count(item.target) > 0; });
        for (CopiedFile& file : report_.files) {
            const std::string target = joined_path(to.name, path_below(file.path, from));
            if (file.why.empty() && standing_.same.count(target) > 0) file.state = FileState::kept;
        }
        return ok();
    }

    Result<bool> stands_there(agent::Agent& agent, proto::RootId root, const FileEntry& ours, const FileEntry& theirs,
                              const std::map<std::string, proto::Digest>& wanted) {
        if (ours.type == FileType::symlink) return theirs.type == FileType::symlink && theirs.target == ours.target;
        const auto digest = wanted.find(theirs.path);
        if (digest == wanted.end() || theirs.type != FileType::file || theirs.size != ours.size) return false;
        proto::Hash request{};
        request.root = root;
        request.path = theirs.path;
        const auto there = agent.hash(op_, request);
        if (!there && there.error().code == Code::cancelled) return there.error();
        return there && there->entry.root == digest->second;
    }

    Result<Place> place_on_box(agent::Agent& agent, const std::string& path, const std::string& name) {
        Place to = split_place(path);
        if (to.name.empty()) return Place{to.directory, name};
        const auto root = agent.open_root(op_, path, false);
        if (root) return Place{path, name};
        if (root.error().code != Code::not_found && root.error().code != Code::remote_failed) return root.error();
        return to;
    }

    Result<std::vector<FileEntry>> local_entries(const disk::Root& parent, const std::string& name) {
        std::vector<FileEntry> entries;
        TRY_ASSIGN(const struct stat found, parent.stat_entry(name));
        entries.push_back(disk::entry_from_stat(name, found));
        if (entries.front().type != FileType::directory) return entries;
        TRY_ASSIGN(const disk::Root root, disk::Root::open(joined_path(parent.path(), name)));
        disk::WalkCallbacks callbacks{};
        callbacks.ignored = [](std::string_view path, FileType) { return is_private_part(path); };
        callbacks.entry = [&](const FileEntry& entry) -> Status {
            entries.push_back(entry);
            entries.back().path = joined_path(name, entry.path);
            return ok();
        };
        callbacks.problem = [&](std::string_view path, const Error& error) {
            leave_out(joined_path(name, path), error.message);
        };
        TRY(disk::walk(op_, root, callbacks));
        return entries;
    }

    Result<std::vector<PushItem>> hashed_items(TreeSource& source, const std::vector<FileEntry>& entries,
                                               const std::string& from, const Place& to) {
        std::vector<const FileEntry*> files;
        std::vector<std::string> paths;
        for (const FileEntry& entry : entries) {
            if (entry.type != FileType::file) continue;
            files.push_back(&entry);
            paths.push_back(entry.path);
        }
        const WallTime begun = op_.clock.wall();
        TRY_ASSIGN(const auto hashed, hash_files(op_, source.root(), paths, {.sha256 = true}));
        std::vector<PushItem> items;
        for (std::size_t i = 0; i < files.size(); ++i) {
            const std::string inner = paths[i].size() > from.size() ? paths[i].substr(from.size() + 1) : std::string{};
            if (hashed[i].error) {
                leave_out(paths[i], hashed[i].error->message);
                continue;
            }
            CopiedFile file{};
            file.path = paths[i];
            file.size = hashed[i].digests.size;
            file.box_path = joined_path(to.directory, joined_path(to.name, inner));
            file.root = hashed[i].digests.root.hex();
            file.sha256 = sha256_of(hashed[i].digests);
            file.stamp = stamp_at_rest({files[i]->ino, files[i]->size, files[i]->mtime_ns, files[i]->ctime_ns}, begun);
            report_.files.push_back(std::move(file));
            items.push_back({paths[i], joined_path(to.name, inner), hashed[i].digests.size, files[i]->mode & 0777U,
                             files[i]->mtime_ns, hashed[i].digests.root, hashed[i].digests.leaves});
        }
        return items;
    }

    // Directories and links; what is neither a file nor these is left out.
    Status make_rest(Link& link, const std::vector<FileEntry>& entries, const std::string& from,
                     const std::string& to) {
        std::vector<proto::Change> changes;
        for (const FileEntry& entry : entries) {
            const std::string inner =
                entry.path.size() > from.size() ? entry.path.substr(from.size() + 1) : std::string{};
            const std::string target = joined_path(to, inner);
            if (entry.type == FileType::directory) {
                changes.push_back({proto::ChangeKind::make_directory,
                                   target,
                                   {},
                                   0755,
                                   proto::k_change_parents | proto::k_change_exist_ok});
            } else if (entry.type == FileType::symlink) {
                changes.push_back({proto::ChangeKind::remove, target, {}, 0, proto::k_change_missing_ok});
                changes.push_back({proto::ChangeKind::make_symlink, target, entry.target, 0, proto::k_change_parents});
            } else if (is_special(entry)) {
                leave_out(entry.path, "no regular file");
            }
            if (changes.size() < 500) continue;
            TRY(apply(link, std::exchange(changes, {})));
        }
        return apply(link, std::move(changes));
    }

    Status apply(Link& link, std::vector<proto::Change> changes) {
        if (changes.empty()) return ok();
        TRY_ASSIGN(const auto applied, link.agent->apply(op_, *link.claim, std::move(changes), false));
        if (applied.failures.empty()) return ok();
        proto::Refusal refusal{};
        refusal.reason = applied.failures.front().reason;
        refusal.error = applied.failures.front().error;
        return proto::to_error(refusal, "make directories and links on the box");
    }

    Dial claiming_dial(const std::string& directory) {
        return [this, directory](const Op& op) -> Result<Link> {
            TRY_ASSIGN(Box connected, Box::connect(op, deps_, lease_));
            return claim(op, std::make_shared<Box>(std::move(connected)), directory);
        };
    }

    Result<Link> claim(const Op& op, std::shared_ptr<Box> box, const std::string& directory) {
        agent::Agent& agent = box->agent();
        const auto root = agent.open_root(op, directory, true);
        if (!root) return not_writable(root.error(), directory);
        const auto claim =
            fence_->claim(op, [&](const agent::ClaimOptions& asked) { return agent.claim(op, *root, asked); });
        if (!claim) return not_writable(claim.error(), directory);
        return Link{std::move(box), &agent, *root, *claim};
    }

    // The user named the directory, not what we would have made in it.
    [[nodiscard]] Error not_writable(const Error& error, const std::string& directory) const {
        const std::string user = lease_.endpoint.user.empty() ? "" : " for " + printable(lease_.endpoint.user);
        const std::string where = printable(directory) + " on " + lease_.name;
        const std::string look = "drawhitch exec " + shell_word(lease_.name) + " -- ls -ld ";
        // It was to be made with all above it: where that is refused, the box knows of no such directory.
        if (error.code == Code::not_found) {
            return Error{Code::permission, where + " does not exist and cannot be made" + user + "; nothing was copied"}
                .then(look + shell_word(split_place(directory).directory));
        }
        if (error.code != Code::permission && error.code != Code::read_only) return error;
        return Error{error.code, where + " is not writable" + user + "; nothing was copied"}
            .because(error.code == Code::read_only ? "the file system is read-only" : "")
            .then(look + shell_word(directory));
    }

    const Op& op_;
    Deps& deps_;
    const CpOptions& options_;
    std::string owner_{random_bytes(16)};
    std::optional<Fence> fence_{};  // of a copy to the box
    model::Lease lease_{};
    std::string here_{};  // what the report's paths are relative to on the laptop
    std::vector<std::size_t> item_files_{};
    Standing standing_{};
    std::map<std::string, SameHere> same_here_{};
    CpReport report_{};
};

}  // namespace

Result<CpReport> cp(const Op& op, Deps& deps, const CpOptions& options) {
    return Copy{op, deps, options}.run();
}

}  // namespace drawhitch::flow
