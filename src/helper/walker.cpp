#include "helper/walker.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "core/proto/limits.hpp"
#include "core/proto/path.hpp"

namespace drawhitch::helper {

namespace {

struct CloseDirectory {
    void operator()(DIR* directory) const { ::closedir(directory); }
};

std::string join_path(const std::string& directory, const std::string& name) {
    return directory.empty() ? name : directory + "/" + name;
}

std::size_t depth_of(std::string_view path) {
    return path.empty() ? 0 : static_cast<std::size_t>(std::count(path.begin(), path.end(), '/')) + 1;
}

}  // namespace

Outcome<std::vector<std::string>> list_names(int directory, std::string_view path) {
    TRY_ASSIGN(UniqueFd fd, open_for_listing(directory, path));
    const std::unique_ptr<DIR, CloseDirectory> stream{::fdopendir(fd.get())};
    if (!stream) return refuse_errno(errno, path);
    (void)fd.release();  // the stream owns it now
    std::vector<std::string> names;
    for (;;) {
        errno = 0;
        const dirent* found = ::readdir(stream.get());
        if (found == nullptr && errno != 0) return refuse_errno(errno, path);
        if (found == nullptr) break;
        std::string name = found->d_name;
        if (name != "." && name != "..") names.push_back(std::move(name));
    }
    std::sort(names.begin(), names.end());
    return names;
}

Outcome<Walker> Walker::start(const Root& root, WalkOptions options) {
    Walker walker(root);
    for (const std::string& path : options.subtrees) {
        if (!path.empty() && !proto::is_safe_path(path)) return refuse(proto::Reason::unsafe_path, path);
    }
    auto& subtrees = options.subtrees;
    if (subtrees.empty()) subtrees.emplace_back();
    std::sort(subtrees.begin(), subtrees.end(), proto::scan_less);
    // Nested ones are served by the outer one.
    const auto inside = [](const std::string& a, const std::string& b) { return proto::is_within(b, a); };
    subtrees.erase(std::unique(subtrees.begin(), subtrees.end(), inside), subtrees.end());
    std::sort(options.skip.begin(), options.skip.end());
    walker.options_ = std::move(options);
    return walker;
}

bool Walker::skipped(const std::string& path) const {
    return std::binary_search(options_.skip.begin(), options_.skip.end(), path);
}

std::optional<proto::FileEntry> Walker::next() {
    for (;;) {
        auto entry = levels_.empty() ? next_subtree() : next_name();
        if (entry) {
            last_path_ = entry->path;
            return entry;
        }
        if (levels_.empty() && next_subtree_ >= options_.subtrees.size()) return std::nullopt;
    }
}

std::optional<proto::FileEntry> Walker::next_subtree() {
    if (next_subtree_ >= options_.subtrees.size()) return std::nullopt;
    const std::string path = options_.subtrees[next_subtree_++];
    if (skipped(path)) return std::nullopt;
    auto place = locate(*root_, path, Need::look);
    proto::FileEntry entry;
    if (!place) {
        entry.path = path;
        entry.error = place.error().error != 0 ? place.error().error : EINVAL;
        return entry;
    }
    entry = entry_of(*place);
    if (entry.type == proto::FileType::directory) enter(entry, place->parent.get(), place->name);
    // The root is no entry of its own listing.
    if (path.empty() && entry.error == 0) return std::nullopt;
    return entry;
}

std::optional<proto::FileEntry> Walker::next_name() {
    Level& level = levels_.back();
    if (level.at >= level.names.size()) {
        levels_.pop_back();
        return std::nullopt;
    }
    const std::string name = std::move(level.names[level.at++]);
    std::string path = join_path(level.path, name);
    if (skipped(path) || path == proto::k_private_dir) return std::nullopt;
    if (path.size() > proto::k_path_max) {
        proto::FileEntry entry;
        entry.path = path;
        entry.error = ENAMETOOLONG;
        return entry;
    }
    struct stat info {};
    if (::fstatat(level.directory.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno == ENOENT) return std::nullopt;  // gone since it was listed: nothing to say about it
        proto::FileEntry entry;
        entry.path = std::move(path);
        entry.error = errno;
        return entry;
    }
    proto::FileEntry entry = entry_of(info, level.directory.get(), name, std::move(path));
    entry.mount_point = entry.type == proto::FileType::directory && entry.dev != level.dev;
    if (entry.type == proto::FileType::directory && !entry.mount_point) enter(entry, level.directory.get(), name);
    return entry;
}

void Walker::enter(proto::FileEntry& entry, int parent, const std::string& name) {
    const std::size_t start = levels_.empty() ? depth_of(entry.path) : depth_of(levels_.front().path);
    if (options_.depth != 0 && depth_of(entry.path) - start >= options_.depth) return;
    Outcome<UniqueFd> directory = open_directory(parent, name, entry.path);
    if (!directory) {
        entry.error = directory.error().error;
        return;
    }
    auto names = list_names(directory->get(), entry.path);
    if (!names) {
        entry.error = names.error().error;
        return;
    }
    Level level;
    level.directory = std::move(directory).value();
    level.path = entry.path;
    level.dev = entry.dev;
    level.names = std::move(names).value();
    levels_.push_back(std::move(level));
}

Outcome<Place> Walker::place() const {
    return locate(*root_, last_path_, Need::look);
}

}  // namespace drawhitch::helper
