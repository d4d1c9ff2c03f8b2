#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "base/random.hpp"
#include "base/text.hpp"
#include "core/exchange/copied_json.hpp"
#include "flow/bandwidth.hpp"
#include "flow/cp_names.hpp"
#include "flow/cp_places.hpp"
#include "flow/cp_private.hpp"
#include "flow/cp_task.hpp"
#include "flow/hash_files.hpp"
#include "flow/local_tree.hpp"
#include "flow/transfer/push_files.hpp"
#include "io/disk/tree_walk.hpp"
#include "io/ledger/ledger.hpp"

namespace drawhitch::flow {

namespace {

using proto::FileEntry;
using proto::FileType;

bool is_special(const FileEntry& entry) {
    return entry.type != FileType::file && entry.type != FileType::directory && entry.type != FileType::symlink;
}

class CopyToBox final : public Copy {
  public:
    using Copy::Copy;

  private:
    Result<CpReport> copy() override {
        Place from = split_place(options_.local_path);
        if (from.name.empty()) from = split_place(from.directory);
        TRY_ASSIGN(disk::Root parent, disk::Root::open(from.directory));
        here_ = from.directory;
        TRY_ASSIGN(auto entries, local_entries(parent, from.name));
        TreeSource source{std::move(parent)};
        HashingBeside hashing{op_, source.root(), files_of(entries), {.sha256 = true}};
        EarlyLinks early{op_,
                         [this, &early, lease = lease_](const Op& op) { return connect_beside(op, lease, early); }};
        TRY_ASSIGN(Link link, connect_first(early, bytes_of(entries)));
        agent::Agent& agent = *link.agent;
        TRY_ASSIGN(const std::string path, absolute_on_box(options_.box_path, agent.hello().home));
        TRY_ASSIGN(const Place to, place_on_box(agent, path, from.name));
        report_.destination = joined_path(to.directory, to.name);
        TRY_ASSIGN(const auto hashed, hashing.wait(op_, [&](const Op& op) { return agent.session().keep_alive(op); }));
        auto items = hashed_items(hashed, entries, from.name, to);
        TRY(look_there(agent, entries, from.name, to, items));
        report_.replaced = standing_.other;
        if (deps_.dry_run) return plan_to_box(agent, entries, to.directory, items);
        TRY_ASSIGN(const bool removes, makes_private(op_, deps_, lease_.id, to.directory, private_found_));
        TRY(deps_.ledger.append_event(lease_.id, std::nullopt, std::string{exchange::k_writing_event},
                                      exchange::writing_json(to.directory, removes)));
        const Dial claiming = [this, &early, directory = to.directory](const Op& op) -> Result<Link> {
            TRY_ASSIGN(auto begun, early.take(op));
            if (begun) return claim(op, std::move(*begun), directory);
            TRY_ASSIGN(Link fresh, connect(op, lease_, {}));
            return claim(op, std::move(fresh), directory);
        };
        fence_.emplace(agent::ClaimOptions{owner_, 0, false, "cp"});
        TRY_ASSIGN(link, claim(op_, std::move(link), to.directory));
        TRY(check_names_there(op_, link, entries, to));
        TRY(make_rest(link, entries, from.name, to.name));
        const ReadPiece read = [&source](const std::string& file, std::uint64_t offset, std::size_t size) {
            return source.read(file, offset, size);
        };
        PushOutcome outcome = push_files(op_, {claiming, std::move(link)}, *fence_, read, items,
                                         PushLimits{.connections = most_connections(deps_, lease_), .sync = true});
        take(outcome, items);
        if (outcome.link) add(report_.wire, outcome.link->agent->session().traffic());
        if (removes && !report_.problem) remove_private(op_, std::move(*outcome.link), claiming);
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
        std::vector<std::string> asked = targets;
        std::ranges::move(private_names(), std::back_inserter(asked));
        const auto looked = agent.open_and_stat(op_, to.directory, std::move(asked));
        if (!looked && (looked.error().code == Code::not_found || looked.error().code == Code::remote_failed))
            return ok();
        if (!looked) return looked.error();
        const auto& [root, found] = *looked;
        private_found_.assign(found.begin() + static_cast<std::ptrdiff_t>(targets.size()), found.end());
        std::map<std::string, proto::Digest> wanted;
        for (const PushItem& item : items)
            wanted[item.target] = item.root;
        for (std::size_t i = 0; i < entries.size(); ++i) {
            if (found[i].error != 0 || found[i].type == FileType::unknown) continue;
            TRY_ASSIGN(const bool same, stands_there(agent, root, entries[i], found[i], wanted));
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

    static std::vector<std::string> files_of(const std::vector<FileEntry>& entries) {
        std::vector<std::string> paths;
        for (const FileEntry& entry : entries)
            if (entry.type == FileType::file) paths.push_back(entry.path);
        return paths;
    }

    static std::uint64_t bytes_of(const std::vector<FileEntry>& entries) {
        std::uint64_t bytes = 0;
        for (const FileEntry& entry : entries)
            if (entry.type == FileType::file) bytes += entry.size;
        return bytes;
    }

    // `hashed`: of the files among the entries, in their order.
    std::vector<PushItem> hashed_items(const HashingBeside::Hashed& hashed, const std::vector<FileEntry>& entries,
                                       const std::string& from, const Place& to) {
        std::vector<PushItem> items;
        auto next = hashed.files.begin();
        for (const FileEntry& entry : entries) {
            if (entry.type != FileType::file) continue;
            const auto& [digests, error] = *next++;
            const std::string inner = path_below(entry.path, from);
            if (error) {
                leave_out(entry.path, error->message);
                continue;
            }
            CopiedFile file{};
            file.path = entry.path;
            file.size = digests.size;
            file.box_path = joined_path(to.directory, joined_path(to.name, inner));
            file.root = digests.root.hex();
            file.sha256 = sha256_of(digests);
            file.stamp = stamp_at_rest({entry.ino, entry.size, entry.mtime_ns, entry.ctime_ns}, hashed.begun);
            report_.files.push_back(std::move(file));
            items.push_back({entry.path, joined_path(to.name, inner), digests.size, entry.mode & 0777U, entry.mtime_ns,
                             digests.root, digests.leaves});
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

    Result<Link> claim(const Op& op, Link link, const std::string& directory) {
        const auto claim = fence_->claim(op, [&](const agent::ClaimOptions& asked) {
            return link.agent->open_and_claim(op, directory, true, asked);
        });
        if (!claim) return not_writable(claim.error(), directory);
        link.root = claim->root;
        link.claim = *claim;
        return link;
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

    std::string owner_{random_bytes(16)};
    std::optional<Fence> fence_{};
    std::vector<FileEntry>
        private_found_{};  // what the destination has of private_names(); empty where it is not there
};

}  // namespace

std::unique_ptr<Copy> copy_to_box(const Op& op, Deps& deps, const CpOptions& options) {
    return std::make_unique<CopyToBox>(op, deps, options);
}

}  // namespace drawhitch::flow
