#include "base/fd.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace drawhitch {

void UniqueFd::reset(int fd) noexcept {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
}

Result<Pipe> make_pipe() {
    int ends[2] = {-1, -1};
    if (::pipe(ends) != 0) return errno_error(errno, "create", "a pipe");
    Pipe made{UniqueFd{ends[0]}, UniqueFd{ends[1]}};
    // Not pipe2: macOS has none.
    for (int end : ends)
        ::fcntl(end, F_SETFD, FD_CLOEXEC);
    return made;
}

Status set_nonblocking(int fd) {
    const int flags = ::fcntl(fd, F_GETFL);
    if (flags < 0 || ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0) {
        return errno_error(errno, "make non-blocking", "a descriptor");
    }
    return ok();
}

Status write_all(int fd, std::string_view data, std::string_view what) {
    while (!data.empty()) {
        const ssize_t count = ::write(fd, data.data(), data.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno_error(errno, "write", what);
        data.remove_prefix(static_cast<std::size_t>(count));
    }
    return ok();
}

Status pwrite_all(int fd, std::string_view data, std::size_t offset, std::string_view what) {
    while (!data.empty()) {
        const ssize_t count = ::pwrite(fd, data.data(), data.size(), static_cast<off_t>(offset));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno_error(errno, "write", what);
        data.remove_prefix(static_cast<std::size_t>(count));
        offset += static_cast<std::size_t>(count);
    }
    return ok();
}

Result<std::size_t> read_full(int fd, std::span<char> buffer, std::string_view what) {
    std::size_t filled = 0;
    while (filled < buffer.size()) {
        const ssize_t count = ::read(fd, buffer.data() + filled, buffer.size() - filled);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno_error(errno, "read", what);
        if (count == 0) break;
        filled += static_cast<std::size_t>(count);
    }
    return filled;
}

Result<std::size_t> pread_full(int fd, std::span<char> buffer, std::size_t offset, std::string_view what) {
    std::size_t filled = 0;
    while (filled < buffer.size()) {
        const ssize_t count =
            ::pread(fd, buffer.data() + filled, buffer.size() - filled, static_cast<off_t>(offset + filled));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno_error(errno, "read", what);
        if (count == 0) break;
        filled += static_cast<std::size_t>(count);
    }
    return filled;
}

}  // namespace drawhitch
