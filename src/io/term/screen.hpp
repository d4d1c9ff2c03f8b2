// What kind of terminal we talk to, and the one thing that must be put back when we leave it: echo. Makes no decision
// about what is shown there.
#pragma once

#include <termios.h>

#include <atomic>
#include <cstddef>

namespace drawhitch::term {

// True when the descriptor is a terminal.
bool is_terminal(int fd);
// Columns of the terminal at `fd`; `otherwise` when it is none or does not know.
std::size_t terminal_width(int fd, std::size_t otherwise);

enum class ColorMode { automatic, always, never };
// What the environment says about colour, already looked up.
struct ColorHints {
    bool no_color{false};     // NO_COLOR set and not empty
    bool force_color{false};  // CLICOLOR_FORCE set and neither empty nor "0"
    bool dumb{false};         // TERM=dumb or unset
};
// The flag wins, then NO_COLOR, then CLICOLOR_FORCE, then whether it is a capable terminal.
bool wants_color(ColorMode mode, const ColorHints& hints, bool terminal);

// Remembers how the terminal was before echo was switched off, so that any thread may put it back, once, on the way
// out. One object lives in main for the whole process.
class EchoGuard {
  public:
    EchoGuard() = default;
    EchoGuard(const EchoGuard&) = delete;
    EchoGuard& operator=(const EchoGuard&) = delete;
    ~EchoGuard() { restore(); }

    // Switches echo off on the terminal at `fd`, which must stay open until `restore`. False when it is no terminal.
    bool silence(int fd) noexcept;
    // Puts the terminal back as it was. Does nothing when echo was not switched off. Thread-safe.
    void restore() noexcept;

  private:
    std::atomic<int> fd_{-1};
    termios before_{};
};

}  // namespace drawhitch::term
