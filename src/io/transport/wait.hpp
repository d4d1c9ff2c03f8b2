// Wait: one poll over descriptors and the cancel token, bounded by the deadline. The only poll of this room.
#pragma once

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "base/op.hpp"

namespace drawhitch::transport {

#if defined(MSG_NOSIGNAL)
inline constexpr int k_send_flags = MSG_NOSIGNAL;
#else
inline constexpr int k_send_flags = 0;  // SO_NOSIGPIPE is set instead, by no_sigpipe
#endif

// Writing to a socket that the other side closed must be an error, not a signal.
inline void no_sigpipe([[maybe_unused]] int fd) {
#if defined(SO_NOSIGPIPE)
    const int on = 1;
    ::setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
}

// The non-blocking call would have to wait, or was interrupted: poll and try again.
inline bool would_block(int error_number) {
    if (error_number == EAGAIN || error_number == EINTR) return true;
#if EWOULDBLOCK != EAGAIN
    if (error_number == EWOULDBLOCK) return true;
#endif
    return false;
}

// An injected clock may run differently from the kernel's: nobody sleeps longer than this without looking at it.
inline constexpr milliseconds k_longest_wait{1000};

class Wait {
  public:
    explicit Wait(const Op& op) : op_(op) { add(op.cancel.fd(), POLLIN); }

    // At most eight descriptors.
    void add(int fd, short events) {
        if (count_ < fds_.size() && fd >= 0) fds_[count_++] = pollfd{fd, events, 0};
    }

    // Waits for `most`, the deadline, a descriptor or cancel, whichever is first.
    void now(milliseconds most) {
        const auto left = op_.left(most).count();
        ::poll(fds_.data(), static_cast<nfds_t>(count_), static_cast<int>(left));
    }

    // What the last wait found for a descriptor; 0 when nothing.
    [[nodiscard]] short found(int fd) const {
        for (std::size_t i = 0; i < count_; ++i) {
            if (fds_[i].fd == fd) return fds_[i].revents;
        }
        return 0;
    }

  private:
    const Op& op_;
    std::array<pollfd, 8> fds_{};
    std::size_t count_{0};
};

}  // namespace drawhitch::transport
