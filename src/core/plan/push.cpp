#include "core/plan/push.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "core/proto/path.hpp"

namespace drawhitch::plan {

namespace {

using proto::FileEntry;
using proto::FileType;

// Equal as a release sees it: kind, content, execute bit; target for links.
bool is_as_wanted(const FileEntry& there, const FileEntry& wanted) {
    if (there.type != wanted.type || there.error != 0) return false;
    switch (wanted.type) {
        case FileType::file:
            return there.root && there.root == wanted.root && there.executable() == wanted.executable();
        case FileType::symlink:
            return there.target == wanted.target;
        case FileType::directory:
            return true;
        case FileType::fifo:
        case FileType::socket:
        case FileType::device:
        case FileType::unknown:
            break;
    }
    return false;
}

using ContentKey = std::pair<proto::Digest, bool>;

std::map<ContentKey, std::string> by_content(std::span<const FileEntry> files) {
    std::map<ContentKey, std::string> found;
    for (const FileEntry& file : files) {
        if (file.type == FileType::file && file.root) found.try_emplace({*file.root, file.executable()}, file.path);
    }
    return found;
}

std::set<std::string, std::less<>> directories_with_content(std::span<const FileEntry> entries) {
    std::set<std::string, std::less<>> found;
    for (const FileEntry& entry : entries) {
        std::string_view parent = proto::path_parent(entry.path);
        while (!parent.empty() && found.emplace(parent).second) {
            parent = proto::path_parent(parent);
        }
    }
    return found;
}

// Also directories that are only implied by the wanted files are wanted.
bool stays(const FileEntry& there, const std::map<std::string_view, const FileEntry*>& wanted,
           const std::set<std::string, std::less<>>& filled) {
    const auto match = wanted.find(there.path);
    if (match != wanted.end()) return is_as_wanted(there, *match->second);
    return there.type == FileType::directory && filled.contains(there.path);
}

// Returns the staged paths that stay as they are; the others go to the plan's removals.
std::set<std::string_view> keep_or_remove(std::span<const FileEntry> wanted, std::span<const FileEntry> staged,
                                          const std::set<std::string, std::less<>>& filled, PushPlan& plan) {
    std::map<std::string_view, const FileEntry*> by_path;
    for (const FileEntry& entry : wanted)
        by_path.emplace(entry.path, &entry);
    std::set<std::string_view> kept;
    for (const FileEntry& entry : staged) {
        // Below something that is removed nothing needs a removal of its own.
        if (!plan.remove.empty() && proto::is_within(entry.path, plan.remove.back())) continue;
        if (stays(entry, by_path, filled)) {
            kept.insert(entry.path);
        } else {
            plan.remove.push_back(entry.path);
        }
    }
    return kept;
}

}  // namespace

PushPlan plan_push(std::span<const FileEntry> wanted, std::span<const FileEntry> staged,
                   std::span<const FileEntry> earlier, bool hard_links) {
    PushPlan plan{};
    const auto filled = directories_with_content(wanted);
    const std::set<std::string_view> there = keep_or_remove(wanted, staged, filled, plan);
    const auto contents = hard_links ? by_content(earlier) : std::map<ContentKey, std::string>{};
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const FileEntry& entry = wanted[i];
        if (there.contains(entry.path)) {
            if (entry.type == FileType::file) plan.staged_bytes += entry.size;
            continue;
        }
        if (entry.type == FileType::directory && !filled.contains(entry.path)) plan.directories.push_back(entry.path);
        if (entry.type == FileType::symlink) plan.symlinks.push_back({entry.path, entry.target});
        if (entry.type != FileType::file || !entry.root) continue;
        const auto source = contents.find({*entry.root, entry.executable()});
        if (source != contents.end()) {
            plan.links.push_back({entry.path, source->second});
            plan.link_bytes += entry.size;
        } else {
            plan.send.push_back(i);
            plan.send_bytes += entry.size;
        }
    }
    return plan;
}

Status check_box_root(std::string_view root, std::string_view home) {
    const auto refuse = [root](std::string why) -> Status {
        return Error{Code::unsafe_path, "refused to use " + (root.empty() ? "an empty path" : printable(root)) +
                                            " on the box: " + std::move(why) + "; nothing was sent"};
    };
    while (home.size() > 1 && home.ends_with('/')) {
        home.remove_suffix(1);
    }
    if (root.empty() || root.front() != '/') return refuse("it must be an absolute path");
    if (root.find_first_not_of('/') == std::string_view::npos) return refuse("it is the root of the file system");
    std::string_view relative = root.substr(1);
    if (!proto::is_safe_path(relative)) return refuse("it has an empty, \".\" or \"..\" component");
    if (root == home) return refuse("it is the home directory");
    if (!home.empty() && proto::is_within(home.substr(1), relative)) return refuse("the home directory lies below it");
    if (relative.find('/') == std::string_view::npos)
        return refuse("a directory of the first level belongs to the system");
    return ok();
}

std::vector<std::string> releases_to_prune(std::span<const std::string> present, std::string_view current,
                                           std::span<const std::string> needed, std::size_t keep) {
    std::vector<std::string> prune;
    std::size_t kept = 0;
    for (const std::string& name : present) {
        if (!proto::Digest::from_hex(name) || name == current) continue;
        if (kept++ < keep || std::find(needed.begin(), needed.end(), name) != needed.end()) continue;
        prune.push_back(name);
    }
    return prune;
}

}  // namespace drawhitch::plan
