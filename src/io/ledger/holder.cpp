#include "io/ledger/holder.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/fd.hpp"

namespace drawhitch::ledger {

namespace {

// SQLite's lock bytes, part of its file format: the write-ahead index (-shm) has its lock bytes at (22 + 8) * 4, write
// lock first; the database file has PENDING and RESERVED at 2^30 and 510 SHARED bytes behind them.
constexpr off_t k_shm_locks = 120;
constexpr off_t k_shm_lock_count = 3;  // write, checkpoint, recover
constexpr off_t k_pending = 0x40000000;
constexpr off_t k_shared_end = 512;

struct Range {
    const char* path;
    off_t start;
    off_t length;
};

// Runs in the child of a fork: async-signal-safe calls only.
pid_t locker(const Range& range, pid_t except) {
    const int fd = ::open(range.path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return 0;
    struct flock asked {};
    asked.l_type = F_WRLCK;
    asked.l_whence = SEEK_SET;
    asked.l_start = range.start;
    asked.l_len = range.length;
    const bool known = ::fcntl(fd, F_GETLK, &asked) == 0 && asked.l_type != F_UNLCK;
    ::close(fd);
    return known && asked.l_pid > 0 && asked.l_pid != except ? asked.l_pid : 0;
}

}  // namespace

std::optional<pid_t> holder_of(const std::string& path) {
    const std::string shm = path + "-shm";
    const std::array ranges{
        Range{shm.c_str(), k_shm_locks, k_shm_lock_count},
        Range{path.c_str(), k_pending, 2},
        Range{path.c_str(), k_pending, k_shared_end},
    };
    auto pipe = make_pipe();
    if (!pipe) return std::nullopt;
    const pid_t self = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) return std::nullopt;
    if (child == 0) {
        pid_t found = 0;
        for (const Range& range : ranges) {
            if (found == 0) found = locker(range, self);
        }
        (void)!::write(pipe->write.get(), &found, sizeof found);  // the parent sees a short read
        ::_exit(0);
    }
    pipe->write.reset();
    pid_t found = 0;
    const ssize_t count = ::read(pipe->read.get(), &found, sizeof found);
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    if (count != static_cast<ssize_t>(sizeof found) || found == 0) return std::nullopt;
    return found;
}

}  // namespace drawhitch::ledger
