#include "io/ledger/file_check.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/text.hpp"
#include "io/disk/space.hpp"

namespace drawhitch::ledger {

namespace {

constexpr std::string_view k_magic{"SQLite format 3\0", 16};

std::uint64_t size_of(const std::string& path) {
    struct stat seen {};
    return ::lstat(path.c_str(), &seen) == 0 && seen.st_size > 0 ? static_cast<std::uint64_t>(seen.st_size) : 0;
}

// A lock that some flow took for a lease: there was a ledger with that lease. Empty: none.
std::string lease_lock(const std::string& state_dir) {
    const std::unique_ptr<DIR, int (*)(DIR*)> folder{::opendir((state_dir + "/locks").c_str()), &::closedir};
    if (!folder) return {};
    std::string found{};
    while (const dirent* entry = ::readdir(folder.get())) {
        const std::string_view name{entry->d_name};
        if (!name.starts_with("lease-") && !name.starts_with("watch-")) continue;
        if (found.empty() || name < found) found = name;
    }
    return found;
}

Error lost(const std::string& path, const std::string& state, const std::string& beside) {
    return Error{Code::ledger, "the ledger " + state + ", and nothing was changed: " + printable(path)}.because(
        printable(beside) +
        " tells that it held leases, and they may still bill: put a copy of it back, or start anew");
}

// What a file that is not there, or holds nothing, must not be taken for: a new start.
Status expect_new(const std::string& state_dir, const std::string& path, const std::string& state) {
    const std::string log = path + "-wal";
    if (size_of(log) > 0)
        return lost(path, state, "its write-ahead log " + log)
            .then("mv -i " + shell_quote(log) + " " + shell_quote(log + ".kept"));
    const std::string lock = lease_lock(state_dir);
    if (lock.empty()) return ok();
    const std::string locks = state_dir + "/locks";
    return lost(path, state, "the lock " + locks + "/" + lock)
        .then("mv -i " + shell_quote(locks) + " " + shell_quote(locks + ".old"));
}

Status check_kind(const struct stat& seen, const std::string& path) {
    const std::string look = "ls -la " + shell_quote(path);
    if (S_ISLNK(seen.st_mode))
        return Error{Code::unsafe_path, "the ledger is a symbolic link: " + printable(path)}.then(look);
    if (!S_ISREG(seen.st_mode)) return Error{Code::local_io, "the ledger is not a file: " + printable(path)}.then(look);
    if (seen.st_uid != ::geteuid())
        return Error{Code::permission, "the ledger belongs to another user: " + printable(path)}.then(look);
    if ((seen.st_mode & 0077U) != 0)
        return Error{Code::permission, "the ledger is open to others: " + printable(path)}.then("chmod 600 " +
                                                                                                shell_quote(path));
    return ok();
}

// With a write-ahead log beside it, SQLite would play that log into any file of the name.
Result<UniqueFd> check_replaced(const std::string& path) {
    UniqueFd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
    if (!fd) return errno_error(errno, "open", path).then("ls -la " + shell_quote(path));
    std::array<char, k_magic.size()> start{};
    TRY_ASSIGN(const std::size_t count, pread_full(fd.get(), std::span{start}, 0, path));
    if (std::string_view{start.data(), count} == k_magic) return fd;
    return lost(path, "is not a database any more", "its write-ahead log " + path + "-wal")
        .then("mv -i " + shell_quote(path) + " " + shell_quote(path + ".damaged"));
}

}  // namespace

Result<UniqueFd> prepare_file(const std::string& state_dir, const std::string& path) {
    struct stat seen {};
    if (::lstat(path.c_str(), &seen) != 0) {
        if (errno != ENOENT) return errno_error(errno, "look at", path);
        TRY(expect_new(state_dir, path, "is gone"));
        // SQLite would create the file with the umask's mode; it must never have been readable by others.
        const UniqueFd made{::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600)};
        if (made) return UniqueFd{};
        if (errno != EEXIST) return disk::explain_full(errno_error(errno, "create", path), path);
        if (::lstat(path.c_str(), &seen) != 0) return errno_error(errno, "look at", path);
    }
    TRY(check_kind(seen, path));
    if (seen.st_size == 0) TRY(expect_new(state_dir, path, "is empty"));
    if (seen.st_size > 0 && size_of(path + "-wal") > 0) return check_replaced(path);
    return UniqueFd{};
}

}  // namespace drawhitch::ledger
