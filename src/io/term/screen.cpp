#include "io/term/screen.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

namespace drawhitch::term {

bool is_terminal(int fd) {
    return ::isatty(fd) == 1;
}

std::size_t terminal_width(int fd, std::size_t otherwise) {
    winsize size{};
    if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return otherwise;
    return size.ws_col;
}

bool wants_color(ColorMode mode, const ColorHints& hints, bool terminal) {
    switch (mode) {
        case ColorMode::always:
            return true;
        case ColorMode::never:
            return false;
        case ColorMode::automatic:
            break;
    }
    if (hints.no_color) return false;
    if (hints.force_color) return true;
    return terminal && !hints.dumb;
}

bool EchoGuard::silence(int fd) noexcept {
    if (::tcgetattr(fd, &before_) != 0) return false;
    termios quiet = before_;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    if (::tcsetattr(fd, TCSAFLUSH, &quiet) != 0) return false;
    fd_.store(fd);
    return true;
}

void EchoGuard::restore() noexcept {
    const int fd = fd_.exchange(-1);
    if (fd >= 0) ::tcsetattr(fd, TCSANOW, &before_);
}

}  // namespace drawhitch::term
