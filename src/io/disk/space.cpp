#include "io/disk/space.hpp"

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <cerrno>

#include "base/text.hpp"

namespace drawhitch::disk {

namespace {

std::string parent_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

// The mount point is the last directory upwards that still lies on the same device.
std::string mount_of(const std::string& path) {
    if (path.empty() || path.front() != '/') return path;
    struct stat here {};
    if (::stat(path.c_str(), &here) != 0) return path;
    std::string mount = path;
    while (mount != "/") {
        const std::string above = parent_of(mount);
        struct stat found {};
        if (::stat(above.c_str(), &found) != 0 || found.st_dev != here.st_dev) break;
        mount = above;
    }
    return mount;
}

}  // namespace

Result<Space> space_at(const std::string& path) {
    std::string asked = path.empty() ? "." : path;
    struct statvfs found {};
    while (::statvfs(asked.c_str(), &found) != 0) {
        if (errno == EINTR) continue;
        if (errno != ENOENT || asked == "/" || asked == ".") return errno_error(errno, "ask the free space of", path);
        asked = parent_of(asked);
    }
    Space space{};
    const std::uint64_t block = found.f_frsize != 0 ? found.f_frsize : found.f_bsize;
    space.free_bytes = static_cast<std::uint64_t>(found.f_bavail) * block;
    space.free_inodes = static_cast<std::uint64_t>(found.f_favail);
    space.counts_inodes = found.f_files != 0;
    space.read_only = (found.f_flag & ST_RDONLY) != 0;
    space.mount = mount_of(asked);
    return space;
}

Error explain_full(Error error, const std::string& path) {
    if (error.code != Code::no_space) return error;
    const auto space = space_at(path);
    if (!space) return error;
    const std::string mount = printable(space->mount);
    if (space->counts_inodes && space->free_inodes == 0) {
        error.code = Code::no_inodes;
        error.why = mount + " has no inodes left (it has " + human_bytes(space->free_bytes) +
                    " free: many small files use up the inodes first)";
        error.next = "df -i " + shell_quote(space->mount);
    } else {
        error.why = mount + " has " + human_bytes(space->free_bytes) + " left";
        error.next = "df -h " + shell_quote(space->mount);
    }
    return error;
}

}  // namespace drawhitch::disk
