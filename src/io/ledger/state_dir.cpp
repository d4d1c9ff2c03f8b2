#include "io/ledger/state_dir.hpp"

#include <sys/stat.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/vfs.h>
#else
#include <sys/mount.h>
#include <sys/param.h>
#endif

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <string_view>

#include "base/text.hpp"
#include "io/disk/space.hpp"

namespace drawhitch::ledger {

namespace {

std::string octal(mode_t mode) {
    std::string text{"0"};
    for (int shift = 6; shift >= 0; shift -= 3)
        text += static_cast<char>('0' + ((mode >> shift) & 7U));
    return text;
}

std::string existing_parent(std::string path) {
    struct stat seen {};
    while (path.size() > 1 && ::stat(path.c_str(), &seen) != 0)
        path.resize(std::max<std::size_t>(path.rfind('/'), 1));
    return path;
}

// A place that is wrong is mended on this machine, by hand.
Error at_place(Error error, const std::string& path) {
    error = disk::explain_full(std::move(error), path);
    // What is missing was not asked for by name: it cannot be made.
    if (error.code == Code::not_found) error.code = Code::local_io;
    if (error.why.empty()) error.why = "drawhitch keeps its ledger there";
    if (error.next.empty()) error.next = "ls -ld " + shell_quote(existing_parent(path));
    return error;
}

// mkdir -p; what is created is private from the start.
Status create(const std::string& path) {
    for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1)) {
        const std::string parent = path.substr(0, at);
        if (::mkdir(parent.c_str(), 0700) == 0 || errno == EEXIST) continue;
        // A parent that cannot be made may exist all the same, seen through a read-only or private directory above.
        const int why = errno;
        struct stat seen {};
        if (::stat(parent.c_str(), &seen) != 0) return at_place(errno_error(why, "create", parent), parent);
    }
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return at_place(errno_error(errno, "create", path), path);
    return ok();
}

Status check(const std::string& path) {
    struct stat seen {};
    if (::stat(path.c_str(), &seen) != 0) return at_place(errno_error(errno, "look at", path), path);
    const std::string shown = printable(path);
    if (!S_ISDIR(seen.st_mode)) {
        return Error{Code::local_io, "the state directory is not a directory: " + shown}.then("ls -la " +
                                                                                              shell_quote(path));
    }
    if (seen.st_uid != ::geteuid()) {
        return Error{Code::permission,
                     "the state directory belongs to another user (uid " + std::to_string(seen.st_uid) + "): " + shown}
            .because("whoever owns it could change what is recorded as proven")
            .then("export XDG_STATE_HOME=\"$HOME/.local/state\"");
    }
    if ((seen.st_mode & 0777U) != 0700U) {
        const bool open = (seen.st_mode & 0077U) != 0;
        return Error{Code::permission, "the state directory is " +
                                           std::string{open ? "open to others" : "not writable for you"} + " (mode " +
                                           octal(seen.st_mode) + "): " + shown}
            .then("chmod 700 " + shell_quote(path));
    }
    // The mode does not tell of a read-only mount.
    if (::access(path.c_str(), W_OK) != 0) return at_place(errno_error(errno, "write to", path), path);
    return ok();
}

}  // namespace

Status prepare_state_dir(const std::string& path) {
    if (path.empty() || path.front() != '/') {
        return Error{Code::usage, "the state directory must be an absolute path: " + printable(path)}.then(
            "export XDG_STATE_HOME=\"$HOME/.local/state\"");
    }
    std::string clean = path;
    while (clean.size() > 1 && clean.back() == '/')
        clean.pop_back();
    TRY(create(clean));
    return check(clean);
}

#if defined(__linux__)

FilesystemKind filesystem_of(const std::string& path) {
    // f_type of filesystems whose pages and locks live in this kernel, from linux/magic.h. Everything else (NFS, SMB,
    // 9p, FUSE, Ceph, Lustre …) counts as network.
    constexpr std::array<std::uint64_t, 13> local{
        0xEF53,      // ext2, ext3, ext4
        0x58465342,  // xfs
        0x9123683E,  // btrfs
        0x01021994,  // tmpfs
        0x858458F6,  // ramfs
        0x794C7630,  // overlayfs
        0x2FC12FC1,  // zfs
        0xF2F52010,  // f2fs
        0xCA451A4E,  // bcachefs
        0x52654973,  // reiserfs
        0x3153464A,  // jfs
        0x24051905,  // ubifs
        0x4D44,      // vfat
    };
    struct statfs seen {};
    if (::statfs(path.c_str(), &seen) != 0) return FilesystemKind::network;
    const auto type = static_cast<std::uint64_t>(seen.f_type) & 0xFFFFFFFFU;
    return std::find(local.begin(), local.end(), type) != local.end() ? FilesystemKind::local : FilesystemKind::network;
}

#else

FilesystemKind filesystem_of(const std::string& path) {
    constexpr std::array<std::string_view, 4> local{"apfs", "hfs", "ufs", "zfs"};
    struct statfs seen {};
    if (::statfs(path.c_str(), &seen) != 0) return FilesystemKind::network;
    const std::string_view type{seen.f_fstypename};
    return std::find(local.begin(), local.end(), type) != local.end() ? FilesystemKind::local : FilesystemKind::network;
}

#endif

}  // namespace drawhitch::ledger
