#include "core/parse/log_lines.hpp"

#include "base/text.hpp"

namespace drawhitch::parse {

namespace {

constexpr char k_escape = '\x1b';
constexpr char k_bell = '\x07';

std::string shown(std::string_view line, bool cut) {
    std::string text;
    // A tab is harmless, and columns need it.
    for (std::string_view part : split(line, '\t')) {
        if (!text.empty() || part.data() != line.data()) text += '\t';
        text += printable(part);
    }
    if (cut) text += "…";
    return text;
}

}  // namespace

void LogLines::put(char c) {
    if (returned_) {
        line_.clear();
        cut_ = false;
        returned_ = false;
    }
    if (line_.size() < k_line_bytes) {
        line_ += c;
    } else {
        cut_ = true;
    }
}

void LogLines::take_text(char c, const std::function<void(std::string_view)>& line) {
    switch (c) {
        case '\n':
            line(shown(line_, cut_));
            line_.clear();
            cut_ = false;
            returned_ = false;
            break;
        case '\r':
            returned_ = true;
            break;
        case '\b':
            if (!returned_ && !line_.empty() && !cut_) line_.pop_back();
            break;
        case k_escape:
            state_ = State::escape;
            break;
        default:
            put(c);
    }
}

// The sequences of ECMA-48: ESC [ … final byte, and the strings ESC ] P X ^ _ … up to BEL or ESC backslash. A newline
// ends any of them: a sequence cut short must not swallow the rest of the log.
void LogLines::take(char c, const std::function<void(std::string_view)>& line) {
    if (state_ != State::text && c == '\n') state_ = State::text;
    switch (state_) {
        case State::text:
            take_text(c, line);
            break;
        case State::escape:
            if (c == '[') {
                state_ = State::csi;
            } else if (c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_') {
                state_ = State::string;
            } else if (c < 0x20 || c > 0x2F) {  // intermediates go on, anything else is the last byte
                state_ = State::text;
            }
            break;
        case State::csi:
            if (c >= 0x40 && c <= 0x7E) state_ = State::text;
            break;
        case State::string:
            if (c == k_bell) state_ = State::text;
            if (c == k_escape) state_ = State::string_escape;
            break;
        case State::string_escape:
            state_ = c == '\\' ? State::text : State::string;
            break;
    }
}

void LogLines::feed(std::string_view bytes, const std::function<void(std::string_view)>& line) {
    for (char c : bytes)
        take(c, line);
}

std::string LogLines::current() const {
    return shown(line_, cut_);
}

void LogLines::reset() {
    *this = LogLines{};
}

}  // namespace drawhitch::parse
