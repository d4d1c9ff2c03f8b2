#include "io/term/input.hpp"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace drawhitch::term {

namespace {

constexpr milliseconds k_longest_wait{60'000};

}  // namespace

Status wait_readable(const Op& op, int fd, std::string_view what) {
    for (;;) {
        TRY(op.check());
        std::array<pollfd, 2> polled{pollfd{fd, POLLIN, 0}, pollfd{op.cancel.fd(), POLLIN, 0}};
        const int timeout = static_cast<int>(op.left(k_longest_wait).count());
        if (::poll(polled.data(), polled.size(), timeout) < 0 && errno != EINTR)
            return errno_error(errno, "read", what);
        if (polled[0].revents != 0 && polled[1].revents == 0) return ok();
    }
}

Result<std::size_t> read_some(const Op& op, int fd, std::span<char> buffer, std::string_view what) {
    for (;;) {
        TRY(wait_readable(op, fd, what));
        const ssize_t count = ::read(fd, buffer.data(), buffer.size());
        if (count >= 0) return static_cast<std::size_t>(count);
        // Somebody else has the descriptor, too, and was quicker.
        if (errno != EINTR && errno != EAGAIN) return errno_error(errno, "read", what);
    }
}

}  // namespace drawhitch::term
