// LogLines: a job's log as a person would have seen it on a terminal, line by line, in bounded memory: progress bars
// drawn with carriage returns are reduced to their last state, escape sequences are dropped, control characters and
// broken UTF-8 are shown as escapes. Never sends a byte to a terminal that could do more than show a character.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace drawhitch::parse {

class LogLines {
  public:
    // A line longer than this keeps its beginning; "…" tells that more was there.
    static constexpr std::size_t k_line_bytes = 16U << 10U;

    // Calls `line` with each finished line, without its end. May be fed in pieces of any size, cut anywhere.
    void feed(std::string_view bytes, const std::function<void(std::string_view)>& line);
    // The line that is not finished yet (a progress bar's last state); empty when there is none.
    [[nodiscard]] std::string current() const;
    // Forgets the unfinished line, for a reader that skipped ahead.
    void reset();

  private:
    enum class State { text, escape, csi, string, string_escape };
    void take(char c, const std::function<void(std::string_view)>& line);
    void take_text(char c, const std::function<void(std::string_view)>& line);
    void put(char c);

    State state_{State::text};
    bool returned_{false};  // a carriage return came: the next character begins the line anew
    bool cut_{false};
    std::string line_{};
};

}  // namespace drawhitch::parse
