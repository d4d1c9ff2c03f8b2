#include "helper/rename.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>

namespace drawhitch::helper {

namespace {

constexpr unsigned k_no_replace_flag = 1;  // RENAME_NOREPLACE, which older headers lack

bool cannot_sync(int error) {
    return error == EINVAL || error == ENOSYS || error == EOPNOTSUPP;
}

Done rename_by_link(int from_directory, const std::string& from, const Place& to) {
    if (::linkat(from_directory, from.c_str(), to.parent.get(), to.name.c_str(), 0) == 0) {
        if (::unlinkat(from_directory, from.c_str(), 0) != 0) return refuse_errno(errno, to.path);
        return Unit{};
    }
    if (errno == EEXIST) return refuse_errno(EEXIST, to.path);
    struct stat info {};
    if (::fstatat(to.parent.get(), to.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) {
        return refuse_errno(EEXIST, to.path);
    }
    if (::renameat(from_directory, from.c_str(), to.parent.get(), to.name.c_str()) != 0) {
        return refuse_create(errno, to.parent.get(), to.path);
    }
    return Unit{};
}

}  // namespace

Done rename_into(int from_directory, const std::string& from, const Place& to, bool no_replace) {
    if (!no_replace) {
        if (::renameat(from_directory, from.c_str(), to.parent.get(), to.name.c_str()) == 0) return Unit{};
        return refuse_create(errno, to.parent.get(), to.path);
    }
    if (::syscall(SYS_renameat2, from_directory, from.c_str(), to.parent.get(), to.name.c_str(), k_no_replace_flag) ==
        0) {
        return Unit{};
    }
    // EPERM is what some sandboxes say to calls they do not know.
    if (errno == ENOSYS || errno == EINVAL || errno == EPERM) return rename_by_link(from_directory, from, to);
    return refuse_create(errno, to.parent.get(), to.path);
}

Done sync_directory_of(const Place& place) {
    TRY_ASSIGN(const UniqueFd directory, open_for_listing(place.parent.get(), place.path));
    if (::fsync(directory.get()) != 0 && !cannot_sync(errno)) return refuse_errno(errno, place.path);
    return Unit{};
}

Done sync_file(int fd, std::string_view path) {
    if (::fsync(fd) != 0 && !cannot_sync(errno)) return refuse_errno(errno, path);
    return Unit{};
}

Outcome<Place> locate_for_creation(const Root& root, std::string_view path, bool make_parents) {
    return make_parents ? locate_making_parents(root, path) : locate(root, path, Need::change);
}

}  // namespace drawhitch::helper
