#include "io/ledger/lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <span>

#include "base/text.hpp"
#include "io/disk/space.hpp"
#include "io/ledger/state_dir.hpp"

namespace drawhitch::ledger {

namespace {

constexpr milliseconds k_lock_step{50};

// "4711 down box-3": who holds the lock, for the message of the one who does not.
Status write_holder(int fd, const std::string& doing, const std::string& path) {
    if (::ftruncate(fd, 0) != 0) return errno_error(errno, "write", path);
    return pwrite_all(fd, std::to_string(::getpid()) + " " + doing + "\n", 0, path);
}

Error held(int fd, const std::string& path) {
    std::array<char, 256> buffer{};
    const auto count = pread_full(fd, std::span{buffer}, 0, path);
    const std::string_view text = trim(std::string_view{buffer.data(), count ? *count : 0});
    const std::size_t space = text.find(' ');
    const std::string pid{text.substr(0, space)};
    if (pid.empty() || pid.find_first_not_of("0123456789") != std::string::npos) {
        return Error{Code::locked, Retry::after_wait, "another drawhitch is at work on it"}.because("lock " +
                                                                                                    printable(path));
    }
    std::string message = "another drawhitch (pid " + pid;
    if (space != std::string_view::npos) message += ", " + printable(text.substr(space + 1));
    return Error{Code::locked, Retry::after_wait, message + ") is at work on it"}
        .because("lock " + printable(path))
        .then("ps -p " + pid + " -o pid,etime,args");
}

}  // namespace

Result<FileLock> FileLock::take(const Op& op, const std::string& state_dir, const std::string& name,
                                const std::string& doing, Wait wait) {
    TRY(prepare_state_dir(state_dir));
    const std::string folder = state_dir + "/locks";
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
        return disk::explain_full(errno_error(errno, "create", folder), folder);
    }
    const std::string path = folder + "/" + name;
    // The file stays when the lock goes: removing it would let two processes lock two files of one name.
    UniqueFd fd{::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)};
    if (!fd) return disk::explain_full(errno_error(errno, "open", path), path);
    for (;;) {
        if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) break;
        if (errno == EINTR) continue;
        if (errno != EWOULDBLOCK) return errno_error(errno, "lock", path);
        if (wait == Wait::no) return held(fd.get(), path);
        TRY(op.check());
        op.clock.sleep(k_lock_step, op.cancel);
    }
    TRY(write_holder(fd.get(), doing, path));
    return FileLock{std::move(fd)};
}

Result<FileLock> FileLock::lease(const Op& op, const std::string& state_dir, std::int64_t lease,
                                 const std::string& doing, Wait wait) {
    return take(op, state_dir, "lease-" + std::to_string(lease), doing, wait);
}

Result<FileLock> FileLock::push(const Op& op, const std::string& state_dir, std::int64_t lease,
                                const std::string& doing, Wait wait) {
    return take(op, state_dir, "push-" + std::to_string(lease), doing, wait);
}

Result<FileLock> FileLock::watcher(const Op& op, const std::string& state_dir, std::int64_t lease,
                                   const std::string& doing, Wait wait) {
    return take(op, state_dir, "watch-" + std::to_string(lease), doing, wait);
}

Result<FileLock> FileLock::pull_target(const Op& op, const std::string& state_dir, const std::string& directory,
                                       const std::string& doing, Wait wait) {
    struct stat seen {};
    if (::stat(directory.c_str(), &seen) != 0) return errno_error(errno, "look at", directory);
    const std::string name = "pull-" + std::to_string(seen.st_dev) + "-" + std::to_string(seen.st_ino);
    return take(op, state_dir, name, doing, wait);
}

}  // namespace drawhitch::ledger
