#include "io/disk/root.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/text.hpp"
#include "io/disk/path.hpp"

namespace drawhitch::disk {

namespace {

constexpr int k_open_directory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// openat with O_DIRECTORY | O_NOFOLLOW on a symlink answers ENOTDIR on Linux: tell the two apart for the user.
Error directory_error(int error_number, int parent, const std::string& name, std::string_view shown) {
    struct stat found {};
    if (error_number == ENOTDIR && ::fstatat(parent, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISLNK(found.st_mode)) {
        error_number = ELOOP;
    }
    if (error_number == ELOOP) {
        return Error{Code::unsafe_path, "refused " + printable(shown) + ": " + printable(name) + " is a symbolic link"};
    }
    return errno_error(error_number, "open the directory", shown);
}

Result<UniqueFd> step_into(int parent, std::string_view component, bool make_missing, std::string_view shown) {
    const std::string name{component};
    UniqueFd opened{::openat(parent, name.c_str(), k_open_directory)};
    if (opened) return opened;
    if (errno != ENOENT || !make_missing) return directory_error(errno, parent, name, shown);
    // Another thread may have made it since: EEXIST is as good as made.
    if (::mkdirat(parent, name.c_str(), 0777) != 0 && errno != EEXIST) {
        return errno_error(errno, "create the directory", shown);
    }
    opened.reset(::openat(parent, name.c_str(), k_open_directory));
    if (!opened) return directory_error(errno, parent, name, shown);
    return opened;
}

Status make_open_directories(const std::string& path) {
    for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
        const std::string prefix = path.substr(0, end);
        if (::mkdir(prefix.c_str(), 0777) != 0 && errno != EEXIST) {
            return errno_error(errno, "create the directory", prefix);
        }
        if (end == std::string::npos) return ok();
    }
}

}  // namespace

SplitPath split_last(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos) return {{}, path};
    return {path.substr(0, slash), path.substr(slash + 1)};
}

Result<Root> Root::open(std::string path) {
    UniqueFd fd{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (!fd) return errno_error(errno, "open the directory", path);
    return Root{std::move(fd), std::move(path)};
}

Result<Root> Root::create(std::string path) {
    if (path.empty()) return Error{Code::usage, "the destination is empty"};
    TRY(make_open_directories(path));
    return open(std::move(path));
}

Result<UniqueFd> Root::directory(std::string_view path, bool make_missing) const {
    if (path.empty()) {
        UniqueFd itself{::openat(fd_.get(), ".", k_open_directory)};
        if (!itself) return errno_error(errno, "open the directory", path_);
        return itself;
    }
    TRY_ASSIGN(const auto parts, split_relative(path));
    UniqueFd at;
    for (std::string_view part : parts) {
        TRY_ASSIGN(at, step_into(at ? at.get() : fd_.get(), part, make_missing, path));
    }
    return at;
}

Result<UniqueFd> Root::read_file(std::string_view path) const {
    TRY(split_relative(path));
    const SplitPath where = split_last(path);
    TRY_ASSIGN(const UniqueFd parent, directory(where.parent));
    return open_regular(parent.get(), where.name, path);
}

Result<struct stat> Root::stat_entry(std::string_view path) const {
    TRY(split_relative(path));
    const SplitPath where = split_last(path);
    UniqueFd parent;
    if (!where.parent.empty()) {
        TRY_ASSIGN(parent, directory(where.parent));
    }
    const int from = parent ? parent.get() : fd_.get();
    struct stat found {};
    if (::fstatat(from, std::string{where.name}.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) {
        return errno_error(errno, "look at", path);
    }
    return found;
}

Status Root::expect_itself() const {
    struct stat held {};
    struct stat named {};
    if (::fstat(fd_.get(), &held) != 0) return errno_error(errno, "look at", path_);
    if (::stat(path_.c_str(), &named) == 0 && named.st_dev == held.st_dev && named.st_ino == held.st_ino) return ok();
    return Error{Code::changed, printable(path_) + " is not the directory any more that it was"};
}

Status Root::expect_file(std::string_view path, std::uint64_t size) const {
    const auto found = stat_entry(path);
    if (!found && found.error().code == Code::not_found) return Error{Code::changed, "it is not here any more"};
    if (!found) return Error{Code::changed, found.error().message};
    if (!S_ISREG(found->st_mode)) return Error{Code::changed, "something else than a file has its name now"};
    if (static_cast<std::uint64_t>(found->st_size) != size) return Error{Code::changed, "its size is another now"};
    return ok();
}

Status Root::place(int from_directory, std::string_view from, std::string_view to) const {
    TRY(split_relative(to));
    const SplitPath where = split_last(to);
    TRY_ASSIGN(const UniqueFd parent, directory(where.parent, true));
    const std::string source{from};
    const std::string name{where.name};
    if (::renameat(from_directory, source.c_str(), parent.get(), name.c_str()) != 0) {
        return errno_error(errno, "move into place", to);
    }
    return sync_directory(parent.get(), to);
}

Result<UniqueFd> open_regular(int directory, std::string_view name, std::string_view shown) {
    const std::string entry{name};
    // O_NONBLOCK: should the entry be a FIFO, open returns at once; for regular files it changes nothing. The kind is
    // checked on the open descriptor, because the entry may be exchanged between a stat and the open.
    UniqueFd fd{::openat(directory, entry.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)};
    if (!fd) return errno_error(errno, "open", shown);
    struct stat found {};
    if (::fstat(fd.get(), &found) != 0) return errno_error(errno, "look at", shown);
    if (!S_ISREG(found.st_mode)) {
        return Error{Code::unsafe_path, "refused to read " + printable(shown) + ": it is not a regular file"};
    }
    return fd;
}

Status sync_directory(int fd, std::string_view shown) {
    if (::fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP) return ok();
    return errno_error(errno, "flush the directory of", shown);
}

}  // namespace drawhitch::disk
