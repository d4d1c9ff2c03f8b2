#include "helper/root.hpp"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/text.hpp"
#include "core/proto/limits.hpp"
#include "core/proto/path.hpp"

namespace drawhitch::helper {

using proto::Reason;

namespace {

constexpr int k_directory_flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

std::int64_t nanoseconds(const timespec& time) {
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

proto::FileType type_of(mode_t mode) {
    if (S_ISREG(mode)) return proto::FileType::file;
    if (S_ISDIR(mode)) return proto::FileType::directory;
    if (S_ISLNK(mode)) return proto::FileType::symlink;
    if (S_ISFIFO(mode)) return proto::FileType::fifo;
    if (S_ISSOCK(mode)) return proto::FileType::socket;
    return proto::FileType::device;
}

// A root's own path may pass through symlinks, but not climb.
bool is_root_path(std::string_view path) {
    if (!path.starts_with('/') || path.size() > proto::k_path_max) return false;
    while (path.ends_with('/'))
        path.remove_suffix(1);
    return path.empty() || proto::is_safe_path(path.substr(1));
}

// mkdir -p, mode 0700, through symlinks that exist.
Done make_root(const std::string& path, bool& created) {
    for (std::size_t at = path.find('/', 1);; at = path.find('/', at + 1)) {
        const std::string part = path.substr(0, at);
        if (::mkdir(part.c_str(), 0700) == 0) {
            created = at == std::string::npos;
        } else if (errno != EEXIST && errno != EISDIR && errno != EROFS && errno != EACCES && errno != EPERM) {
            return refuse_errno(errno, part);
        }
        if (at == std::string::npos) return Unit{};
    }
}

bool allowed(std::string_view path, Need need) {
    if (path.empty()) return need == Need::look;
    if (!proto::is_safe_path(path)) return false;
    if (need == Need::look || !proto::is_private(path)) return true;
    return need == Need::discard && proto::is_within(path, proto::k_parts_dir) && path != proto::k_parts_dir;
}

// Walks down; `enter` opens one component.
template <class Enter>
Outcome<Place> descend(const Root& root, std::string_view path, Enter enter) {
    Place place;
    place.path = path;
    place.name = path.empty() ? "." : std::string(proto::path_name(path));
    place.parent.reset(::openat(root.fd.get(), ".", k_directory_flags));
    if (!place.parent) return refuse_errno(errno, path);
    for (const std::string_view part : proto::path_components(proto::path_parent(path))) {
        TRY_ASSIGN(place.parent, enter(place.parent.get(), std::string(part)));
    }
    return place;
}

}  // namespace

proto::Refusal refuse_create(int error, int directory, std::string_view path) {
    proto::Refusal refusal = refuse_errno(error, path);
    struct statvfs space {};
    if (error == ENOSPC && ::fstatvfs(directory, &space) == 0 && space.f_files > 0 && space.f_favail == 0) {
        refusal.reason = Reason::no_inodes;
    }
    return refusal;
}

Outcome<proto::RootOpened> Roots::open(const proto::OpenRoot& request) {
    if (!is_root_path(request.path)) return refuse(Reason::malformed, request.path, "a root is an absolute path");
    if (request.root == 0 || request.root > proto::k_roots_max || roots_.count(request.root) != 0) {
        return refuse(Reason::bad_root);
    }
    bool created = false;
    if (request.create) TRY(make_root(request.path, created));
    Root root;
    root.path = request.path;
    root.fd.reset(::open(request.path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!root.fd) return refuse_errno(errno, request.path);
    if (::fstat(root.fd.get(), &root.info) != 0) return refuse_errno(errno, request.path);
    const proto::RootOpened opened{root.info.st_dev, root.info.st_ino, created, epoch_in_force(root.fd.get())};
    roots_.emplace(request.root, std::move(root));
    return opened;
}

Outcome<Root*> Roots::find(proto::RootId id) {
    const auto found = roots_.find(id);
    if (found == roots_.end()) return refuse(Reason::bad_root);
    return &found->second;
}

Outcome<Root*> Roots::claimed(proto::RootId id, std::uint64_t epoch) {
    TRY_ASSIGN(Root * root, find(id));
    TRY(guard_change(*root, epoch));
    return root;
}

Outcome<Claim::Guard> guard_change(Root& root, std::uint64_t epoch) {
    if (!root.claim || root.claim->epoch() != epoch) return refuse(Reason::unclaimed);
    return root.claim->guard();
}

Outcome<UniqueFd> open_directory(int parent, const std::string& name, std::string_view path) {
    UniqueFd fd{::openat(parent, name.c_str(), k_directory_flags)};
    if (fd) return fd;
    const int error = errno;
    struct stat info {};
    const bool is_link = ::fstatat(parent, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode);
    return refuse_errno(is_link ? ELOOP : error, path);
}

Outcome<UniqueFd> open_for_listing(int directory, std::string_view path) {
    UniqueFd fd{::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (!fd) return refuse_errno(errno, path);
    return fd;
}

Outcome<Place> locate(const Root& root, std::string_view path, Need need) {
    if (!allowed(path, need)) return refuse(Reason::unsafe_path, path);
    return descend(root, path, [&](int parent, const std::string& name) { return open_directory(parent, name, path); });
}

Outcome<Place> locate_making_parents(const Root& root, std::string_view path) {
    if (!allowed(path, Need::change)) return refuse(Reason::unsafe_path, path);
    return descend(root, path, [&](int parent, const std::string& name) -> Outcome<UniqueFd> {
        if (::mkdirat(parent, name.c_str(), 0777) != 0 && errno != EEXIST) return refuse_create(errno, parent, path);
        return open_directory(parent, name, path);
    });
}

Outcome<struct stat> look_at(const Place& place) {
    struct stat info {};
    if (::fstatat(place.parent.get(), place.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
        return refuse_errno(errno, place.path);
    }
    return info;
}

Outcome<OpenedFile> open_file(const Place& place) {
    TRY_ASSIGN(const struct stat before, look_at(place));
    if (S_ISLNK(before.st_mode)) return refuse(Reason::unsafe_path, place.path);
    if (!S_ISREG(before.st_mode)) return refuse(Reason::not_a_file, place.path);
    OpenedFile file;
    // O_NONBLOCK: should the name become a FIFO just now, opening it must not hang.
    file.fd.reset(
        ::openat(place.parent.get(), place.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!file.fd || ::fstat(file.fd.get(), &file.info) != 0) return refuse_errno(errno, place.path);
    if (!S_ISREG(file.info.st_mode)) return refuse(Reason::not_a_file, place.path);
    return file;
}

proto::Fence fence_of(const struct stat& info) {
    return proto::Fence{info.st_dev, info.st_ino, static_cast<std::uint64_t>(info.st_size), nanoseconds(info.st_mtim)};
}

proto::FileEntry entry_of(const struct stat& info, int parent, const std::string& name, std::string path) {
    proto::FileEntry entry;
    entry.path = std::move(path);
    entry.type = type_of(info.st_mode);
    const bool sized = entry.type == proto::FileType::file || entry.type == proto::FileType::symlink;
    entry.size = sized ? static_cast<std::uint64_t>(info.st_size) : 0;
    entry.allocated = static_cast<std::uint64_t>(info.st_blocks) * 512;
    entry.mtime_ns = nanoseconds(info.st_mtim);
    entry.ctime_ns = nanoseconds(info.st_ctim);
    entry.mode = info.st_mode & 07777U;
    entry.nlink = static_cast<std::uint32_t>(info.st_nlink);
    entry.dev = info.st_dev;
    entry.ino = info.st_ino;
    if (entry.type == proto::FileType::symlink) {
        std::array<char, 4096> target{};
        const ssize_t count = ::readlinkat(parent, name.c_str(), target.data(), target.size());
        if (count < 0) entry.error = errno;
        if (count > 0) entry.target.assign(target.data(), static_cast<std::size_t>(count));
    }
    return entry;
}

proto::FileEntry entry_of(const Place& place) {
    auto info = look_at(place);
    if (info) return entry_of(*info, place.parent.get(), place.name, place.path);
    proto::FileEntry entry;
    entry.path = place.path;
    entry.error = info.error().error;
    return entry;
}

Outcome<UniqueFd> open_parts(const Root& root) {
    TRY_ASSIGN(const UniqueFd directory, open_directory(root.fd.get(), proto::k_private_dir, proto::k_private_dir));
    if (::mkdirat(directory.get(), "parts", 0700) != 0 && errno != EEXIST) {
        return refuse_create(errno, directory.get(), proto::k_parts_dir);
    }
    return open_directory(directory.get(), "parts", proto::k_parts_dir);
}

bool is_part_name(std::string_view name) {
    return name.size() <= proto::k_part_name_max && is_plain_name(name);
}

}  // namespace drawhitch::helper
