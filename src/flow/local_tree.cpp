#include "flow/local_tree.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <mutex>
#include <set>

#include "base/text.hpp"
#include "core/parse/glob.hpp"
#include "core/parse/ignore.hpp"
#include "core/parse/secrets.hpp"
#include "core/proto/limits.hpp"
#include "core/proto/path.hpp"
#include "core/proto/tree_hash.hpp"
#include "flow/demo_files.hpp"
#include "flow/hash_files.hpp"
#include "io/disk/tree_walk.hpp"
#include "io/disk/write_atomic.hpp"

namespace drawhitch::flow {

namespace {

using proto::FileEntry;
using proto::FileType;

// Whether something lies at a place of our name that we did not make there: anything but what pulls and copies work in
// and what fences a directory that was written to.
bool holds_others(const std::string& place) {
    std::error_code failed;
    if (!std::filesystem::is_directory(std::filesystem::symlink_status(place, failed))) return true;
    for (const auto& entry : std::filesystem::directory_iterator(place, failed)) {
        const std::string name = entry.path().filename().string();
        const bool ours = name.starts_with("pull-") || name.starts_with("cp-") || name.ends_with(".part") ||
                          name == "epoch" || name == "gate" || name == "lock";
        if (!ours) return true;
    }
    return false;
}

constexpr std::size_t k_longest_ignore_file = 4U << 20U;
constexpr std::size_t k_longest_repaired = 64U << 20U;
constexpr int k_most_readings = 3;
constexpr std::size_t k_deepest_follow = 8;

std::string joined(const std::string& parent, std::string_view name) {
    return parent.empty() ? std::string{name} : parent + "/" + std::string{name};
}

// Without links in it; empty, with errno set, when there is nothing.
std::string real_path(const std::string& path) {
    const std::unique_ptr<char, decltype(&std::free)> real{::realpath(path.c_str(), nullptr), &std::free};
    return real ? std::string{real.get()} : std::string{};
}

std::uint64_t files_among(const std::vector<FileEntry>& entries, std::size_t first) {
    const auto is_file = [](const FileEntry& entry) { return entry.type == FileType::file; };
    return static_cast<std::uint64_t>(
        std::count_if(entries.begin() + static_cast<std::ptrdiff_t>(first), entries.end(), is_file));
}

// The walk and the ignore rules.
class TreeCollector {
  public:
    TreeCollector(const Op& op, TreeSource& source, const TreeRules& rules, LocalTree& tree)
        : op_(op), source_(source), rules_(rules), tree_(tree) {}

    Result<std::vector<FileEntry>> walk() {
        if (!rules_.pull_dir.empty()) {
            ignore_.add(parse::IgnoreLayer::builtin, "", "(built in)", parse::line_for_directory(rules_.pull_dir));
        }
        load(parse::IgnoreLayer::git_info_exclude, "", ".git/info/exclude");
        load_directory("");
        std::string lines;
        for (const std::string& line : rules_.push.exclude) {
            lines += line + "\n";
        }
        ignore_.add(parse::IgnoreLayer::project, "", "drawhitch.toml", lines);
        disk::WalkCallbacks callbacks{};
        callbacks.ignored = [this](std::string_view path, FileType type) { return ignored(path, type); };
        callbacks.entry = [this](const FileEntry& entry) { return take(entry); };
        callbacks.problem = [this](std::string_view path, const Error& error) {
            // Gone since its directory was read (an editor's or a writer's temporary file): not a part of this tree.
            if (error.code == Code::not_found) return;
            tree_.left_out.push_back({std::string{path}, error.message});
        };
        TRY(disk::walk(op_, source_.root(), callbacks));
        return std::move(entries_);
    }

    // Puts the content a link leads to in the link's place: a file, or a directory with what the ignore rules leave.
    Status follow(const std::string& path, const std::string& target, std::vector<FileEntry>& into) {
        const std::string from = target.starts_with('/') ? target
                                                         : source_.root().path() + "/" +
                                                               joined(std::string{proto::path_parent(path)}, target);
        return follow_to(path, from, into, 0);
    }

  private:
    void load(parse::IgnoreLayer layer, const std::string& directory, const std::string& name) {
        const std::string path = joined(directory, name);
        const auto text = disk::read_whole(source_.root(), path, k_longest_ignore_file);
        if (text) ignore_.add(layer, directory, path, *text);
    }
    void load_directory(const std::string& directory) {
        load(parse::IgnoreLayer::gitignore, directory, ".gitignore");
        load(parse::IgnoreLayer::drawhitchignore, directory, ".drawhitchignore");
    }
    bool ignored(std::string_view path, FileType type) {
        const bool directory = type == FileType::directory;
        const bool demo = directory && source_.root().read_file(joined(std::string{path}, k_demo_mark));
        if (demo) tree_.remarks.push_back({std::string{path}, "made by drawhitch demo, and not pushed"});
        if (!demo && !ignore_.judge(path, directory).ignored) return false;
        if (proto::path_name(path) == proto::k_private_dir &&
            holds_others(source_.root().path() + "/" + std::string{path}))
            tree_.left_out.push_back(
                {std::string{path}, "drawhitch keeps that name for itself: rename it if it matters"});
        ++tree_.ignored;
        return true;
    }
    Status take(const FileEntry& entry) {
        if (entry.type == FileType::directory) load_directory(entry.path);
        entries_.push_back(entry);
        return ok();
    }

    Status follow_to(const std::string& path, const std::string& from, std::vector<FileEntry>& into,
                     std::size_t depth) {
        struct stat found {};
        const std::string real = real_path(from);
        if (real.empty() || ::stat(real.c_str(), &found) != 0) {
            tree_.left_out.push_back({path, errno_error(errno, "follow the link to", from).message});
            return ok();
        }
        FileEntry entry = disk::entry_from_stat(path, found);
        if (entry.type == FileType::file) {
            source_.follow(path, real);
            tree_.followed.push_back({path, real, 1});
            into.push_back(std::move(entry));
            return ok();
        }
        const bool loop = depth >= k_deepest_follow || !followed_.insert({entry.dev, entry.ino}).second;
        if (entry.type != FileType::directory || loop) {
            tree_.left_out.push_back({path, loop ? "the link leads around in a circle" : "the link leads to no file"});
            return ok();
        }
        into.push_back(entry);
        const std::size_t at = tree_.followed.size();
        const std::size_t before = into.size();
        tree_.followed.push_back({path, real, 0});
        TRY(follow_directory(path, real, into, depth));
        tree_.followed[at].files = files_among(into, before);
        return ok();
    }

    Status follow_directory(const std::string& path, const std::string& from, std::vector<FileEntry>& into,
                            std::size_t depth) {
        TRY_ASSIGN(const disk::Root root, disk::Root::open(from));
        std::vector<std::pair<std::string, std::string>> links;
        disk::WalkCallbacks callbacks{};
        callbacks.ignored = [&](std::string_view inner, FileType type) { return ignored(joined(path, inner), type); };
        callbacks.entry = [&](const FileEntry& found) -> Status {
            FileEntry entry = found;
            entry.path = joined(path, found.path);
            const std::string absolute = from + "/" + found.path;
            if (entry.type == FileType::symlink) {
                links.emplace_back(std::move(entry.path), absolute);
            } else if (entry.type == FileType::directory || entry.type == FileType::file) {
                if (entry.type == FileType::file) source_.follow(entry.path, absolute);
                into.push_back(std::move(entry));
            } else {
                tree_.left_out.push_back({std::move(entry.path), "no regular file"});
            }
            return ok();
        };
        callbacks.problem = [&](std::string_view inner, const Error& error) {
            if (error.code == Code::not_found) return;
            tree_.left_out.push_back({joined(path, inner), error.message});
        };
        TRY(disk::walk(op_, root, callbacks));
        for (const auto& [link, absolute] : links) {
            TRY(follow_to(link, absolute, into, depth + 1));
        }
        return ok();
    }

    const Op& op_;
    TreeSource& source_;
    const TreeRules& rules_;
    LocalTree& tree_;
    parse::IgnoreRules ignore_{};
    std::vector<FileEntry> entries_{};
    std::set<std::pair<std::uint64_t, std::uint64_t>> followed_{};
};

// Secrets, flaws and digests of the files that go.
class Inspector {
  public:
    Inspector(const Op& op, TreeSource& source, const TreeRules& rules, LocalTree& tree)
        : op_(op), source_(source), rules_(rules), tree_(tree) {}

    Status run(std::vector<FileEntry> entries) {
        for (const std::string& pattern : rules_.push.allow_secrets) {
            TRY_ASSIGN(auto glob, parse::Glob::compile(pattern));
            allowed_.push_back(std::move(glob));
        }
        hold_back_by_name(entries);
        TRY(hash(entries));
        for (FileEntry& entry : entries) {
            tree_.entries.push_back(std::move(entry));
        }
        return ok();
    }

  private:
    bool is_allowed(std::string_view path) const {
        return std::any_of(allowed_.begin(), allowed_.end(),
                           [path](const parse::Glob& glob) { return glob.covers(path); });
    }

    void hold_back_by_name(std::vector<FileEntry>& entries) {
        std::erase_if(entries, [this](const FileEntry& entry) {
            if (entry.type != FileType::file || is_allowed(entry.path)) return false;
            if (const auto why = parse::secret_name(entry.path)) {
                tree_.held_back.push_back({entry.path, std::string{*why}});
                return true;
            }
            const std::string* real = source_.followed(entry.path);
            const auto why = real != nullptr ? parse::secret_name(*real) : std::nullopt;
            if (why) tree_.held_back.push_back({entry.path, std::string{*why} + " at " + printable(*real)});
            return why.has_value();
        });
    }

    Status hash(std::vector<FileEntry>& entries) {
        std::vector<std::string> paths;
        std::vector<std::size_t> which;
        for (std::size_t i = 0; i < entries.size(); ++i) {
            if (entries[i].type != FileType::file) continue;
            paths.push_back(entries[i].path);
            which.push_back(i);
        }
        std::vector<bool> drop(entries.size(), false);
        std::vector<std::vector<proto::Digest>> leaves(entries.size());
        HashOptions options{};
        options.open = [this](const std::string& path) { return source_.open(path); };
        options.inspect = [&](std::size_t index, std::string_view head) {
            inspect(entries[which[index]], which[index], head, drop);
        };
        TRY_ASSIGN(auto hashed, hash_files(op_, source_.root(), paths, options));
        for (std::size_t i = 0; i < which.size(); ++i) {
            TRY(take(entries[which[i]], hashed[i], leaves[which[i]]));
            if (hashed[i].error) drop[which[i]] = true;
        }
        TRY(repair(entries, leaves, drop));
        std::size_t kept = 0;
        for (std::size_t i = 0; i < entries.size(); ++i) {
            if (drop[i]) continue;
            if (kept != i) entries[kept] = std::move(entries[i]);
            tree_.leaves.push_back(std::move(leaves[i]));
            ++kept;
        }
        entries.resize(kept);
        return ok();
    }

    // Called from the hashing threads.
    void inspect(const FileEntry& entry, std::size_t index, std::string_view head, std::vector<bool>& drop) {
        const std::string* real = source_.followed(entry.path);
        const std::string_view named = real != nullptr ? *real : entry.path;
        const auto secret = is_allowed(entry.path)
                                ? std::nullopt
                                : parse::secret_content(named, head.substr(0, parse::k_secret_head_bytes));
        auto flaws = secret ? std::vector<parse::Flaw>{} : parse::lint(entry.path, head, entry.executable());
        if (!secret && flaws.empty()) return;
        const std::lock_guard lock{mutex_};
        if (secret) {
            tree_.held_back.push_back({entry.path, std::string{*secret}});
            drop[index] = true;
        } else {
            flawed_[index] = std::move(flaws);
        }
    }

    // Code::changed makes the caller look at the whole tree again.
    Status take(FileEntry& entry, const HashedFile& hashed, std::vector<proto::Digest>& leaves) {
        if (hashed.error && (hashed.error->code == Code::changed || hashed.error->code == Code::not_found)) {
            return Error{Code::changed, printable(entry.path) + " changes while it is read"};
        }
        if (hashed.error) {
            tree_.left_out.push_back({entry.path, hashed.error->message});
            return ok();
        }
        entry.size = hashed.digests.size;
        entry.root = hashed.digests.root;
        leaves = hashed.digests.leaves;
        return ok();
    }

    Status repair(std::vector<FileEntry>& entries, std::vector<std::vector<proto::Digest>>& leaves,
                  const std::vector<bool>& drop) {
        for (auto& [index, flaws] : flawed_) {
            if (drop[index]) continue;
            FileEntry& entry = entries[index];
            FlawedFile flawed{entry.path, std::move(flaws), rules_.fix_eol};
            if (rules_.fix_eol) TRY(repair_one(entry, leaves[index], flawed));
            tree_.flawed.push_back(std::move(flawed));
        }
        return ok();
    }

    Status repair_one(FileEntry& entry, std::vector<proto::Digest>& leaves, FlawedFile& flawed) {
        const auto has = [&](parse::Flaw flaw) {
            return std::find(flawed.flaws.begin(), flawed.flaws.end(), flaw) != flawed.flaws.end();
        };
        if (has(parse::Flaw::not_executable)) entry.mode |= 0111U;
        if (entry.size > k_longest_repaired) {
            flawed.fixed = false;
            return ok();
        }
        const auto content = source_.read(entry.path, 0, static_cast<std::size_t>(entry.size));
        if (!content) return Error{Code::changed, printable(entry.path) + " changes while it is read"};
        if (!parse::needs_fix(*content)) return ok();
        std::string fixed = parse::fix_eol(*content);
        proto::FileDigester digester;
        digester.update(fixed);
        auto digests = digester.finish();
        entry.size = digests.size;
        entry.root = digests.root;
        leaves = std::move(digests.leaves);
        source_.replace(entry.path, std::move(fixed));
        return ok();
    }

    const Op& op_;
    TreeSource& source_;
    const TreeRules& rules_;
    LocalTree& tree_;
    std::vector<parse::Glob> allowed_{};
    std::mutex mutex_{};
    std::map<std::size_t, std::vector<parse::Flaw>> flawed_{};
};

void count(LocalTree& tree) {
    for (const FileEntry& entry : tree.entries) {
        if (entry.type != FileType::file) continue;
        ++tree.files;
        tree.bytes += entry.size;
    }
    const auto by_path = [](const plan::LeftOut& a, const plan::LeftOut& b) { return a.path < b.path; };
    std::sort(tree.held_back.begin(), tree.held_back.end(), by_path);
    std::sort(tree.left_out.begin(), tree.left_out.end(), by_path);
}

Result<LocalTree> collect_once(const Op& op, TreeSource& source, const TreeRules& rules) {
    source.clear();
    LocalTree tree{};
    TreeCollector collector{op, source, rules, tree};
    TRY_ASSIGN(auto entries, collector.walk());
    TRY_ASSIGN(auto screened, plan::screen_tree(entries, rules.push));
    std::vector<FileEntry> going;
    for (const std::size_t index : screened.sent) {
        going.push_back(std::move(entries[index]));
    }
    for (const std::size_t index : screened.followed) {
        TRY(collector.follow(entries[index].path, entries[index].target, going));
    }
    for (plan::LeftOut& out : screened.left_out) {
        tree.left_out.push_back(std::move(out));
    }
    for (plan::LeftOut& remark : screened.remarks)
        tree.remarks.push_back(std::move(remark));
    std::sort(going.begin(), going.end(),
              [](const FileEntry& a, const FileEntry& b) { return proto::scan_less(a.path, b.path); });
    TRY(Inspector(op, source, rules, tree).run(std::move(going)));
    std::erase_if(tree.followed, [&](const FollowedLink& link) {
        return std::ranges::any_of(tree.held_back,
                                   [&](const plan::LeftOut& secret) { return secret.path == link.path; });
    });
    count(tree);
    TRY_ASSIGN(tree.hash, proto::tree_hash(tree.entries));
    return tree;
}

}  // namespace

Result<UniqueFd> TreeSource::open(const std::string& path) const {
    const auto elsewhere = followed_.find(path);
    if (elsewhere == followed_.end()) return root_.read_file(path);
    UniqueFd fd{::open(elsewhere->second.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)};
    if (!fd) return errno_error(errno, "open", elsewhere->second);
    return fd;
}

std::optional<std::string> TreeSource::read(const std::string& path, std::uint64_t offset, std::size_t size) const {
    const auto copy = replaced_.find(path);
    if (copy != replaced_.end()) {
        if (offset > copy->second.size() || copy->second.size() - offset < size) return std::nullopt;
        return copy->second.substr(static_cast<std::size_t>(offset), size);
    }
    const auto fd = open(path);
    if (!fd) return std::nullopt;
    std::string raw(size, '\0');
    const auto got = pread_full(fd->get(), raw, static_cast<std::size_t>(offset), path);
    if (!got || *got != size) return std::nullopt;
    return raw;
}

Result<LocalTree> collect_tree(const Op& op, TreeSource& source, const TreeRules& rules) {
    for (int reading = 1;; ++reading) {
        auto tree = collect_once(op, source, rules);
        if (tree || tree.error().code != Code::changed || reading == k_most_readings) return tree;
    }
}

std::vector<PushItem> push_items(const LocalTree& tree, const std::vector<std::size_t>& which,
                                 const std::string& prefix) {
    std::vector<PushItem> items;
    items.reserve(which.size());
    for (const std::size_t index : which) {
        const FileEntry& entry = tree.entries[index];
        PushItem item{};
        item.source = entry.path;
        item.target = prefix + entry.path;
        item.size = entry.size;
        // Nobody writes into a release by mistake, and what is linked from it is in other releases as well.
        item.mode = entry.executable() ? 0555 : 0444;
        item.mtime_ns = entry.mtime_ns;
        item.root = entry.root.value_or(proto::Digest{});
        item.leaves = tree.leaves[index];
        items.push_back(std::move(item));
    }
    return items;
}

}  // namespace drawhitch::flow
