#include <algorithm>
#include <string>

#include "core/config/value.hpp"

namespace drawhitch::config {

namespace {

constexpr bool is_beyond_ascii(char c) {
    return (static_cast<unsigned char>(c) & 0x80U) != 0;
}

Position position_of(std::string_view text, std::size_t offset) {
    const std::string_view before = text.substr(0, offset);
    const std::size_t line_start = before.rfind('\n') + 1;
    const auto starts_letter = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
    const auto lines = std::count(before.begin(), before.end(), '\n');
    const auto letters =
        std::count_if(before.begin() + static_cast<std::ptrdiff_t>(line_start), before.end(), starts_letter);
    return Position{static_cast<int>(lines) + 1, static_cast<int>(letters) + 1};
}

// Walks over one string that begins at `at`; returns the offset behind it, or that of a stray byte. In "…" a backslash
// takes the next byte with it. A short string that is not closed ends with its line: the parser will complain about it.
std::size_t skip_string(std::string_view text, std::size_t at) {
    const char quote = text[at];
    const std::string fence(3, quote);
    const bool is_long = text.substr(at).starts_with(fence);
    at += is_long ? 3 : 1;
    while (at < text.size()) {
        if (text[at] == '\\' && quote == '"') {
            if (at + 1 < text.size() && is_beyond_ascii(text[at + 1])) return at + 1;
            at += 2;
        } else if (!is_long && text[at] == '\n') {
            return at;
        } else if (!is_long && text[at] == quote) {
            return at + 1;
        } else if (is_long && text.substr(at).starts_with(fence)) {
            at += 3;
            // Up to two quotes may belong to the string itself.
            for (int extra = 0; extra < 2 && at < text.size() && text[at] == quote; ++extra)
                ++at;
            return at;
        } else {
            ++at;
        }
    }
    return text.size();
}

// Where the text stands between keys and values. A quote right behind a bare word opens no string for the parser (it is
// part of the word), so it must open none here.
class Place {
  public:
    void pass(char c) {
        switch (c) {
            case '=':
                in_value_ = true;
                break;
            case '\n':
                if (open_.empty()) in_value_ = false;
                break;
            case '[':
                if (in_value_) open_.push_back(c);  // else a table's name follows
                break;
            case '{':
                if (in_value_) open_.push_back(c);
                in_value_ = false;
                break;
            case ']':
            case '}':
                if (!open_.empty()) {
                    open_.pop_back();
                    in_value_ = true;
                }
                break;
            case ',':
                if (open_.ends_with('{')) in_value_ = false;
                break;
            default:
                break;
        }
    }

    // A value that is no string, array or table goes on to the next blank, comma, bracket that closes, or comment.
    [[nodiscard]] bool begins_word(char c) const {
        constexpr std::string_view k_others = " \t\r\n,[]{}\"'#";
        return in_value_ && k_others.find(c) == std::string_view::npos;
    }
    static std::size_t skip_word(std::string_view text, std::size_t at) {
        return std::min(text.find_first_of(" \t\r\n,]}#", at), text.size());
    }

    [[nodiscard]] bool lets_string_begin_behind(char before) const {
        constexpr std::string_view k_openers = " \t\r\n=,[{";
        return k_openers.find(before) != std::string_view::npos || (before == '.' && !in_value_);
    }

  private:
    std::string open_{};  // brackets of arrays and inline tables
    bool in_value_{false};
};

}  // namespace

std::optional<Position> find_stray_letter(std::string_view text) {
    const std::size_t start = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    std::size_t at = start;
    Place place;
    const auto begins_string = [&] {
        return (text[at] == '"' || text[at] == '\'') && (at == start || place.lets_string_begin_behind(text[at - 1]));
    };
    while (at < text.size()) {
        if (text[at] == '#') {
            at = std::min(text.find('\n', at), text.size());
        } else if (begins_string()) {
            const std::size_t end = skip_string(text, at);
            if (end < text.size() && is_beyond_ascii(text[end])) return position_of(text, end);
            at = end;
        } else if (is_beyond_ascii(text[at])) {
            return position_of(text, at);
        } else if (place.begins_word(text[at])) {
            const std::size_t end = Place::skip_word(text, at);
            for (; at < end; ++at)
                if (is_beyond_ascii(text[at])) return position_of(text, at);
        } else {
            place.pass(text[at]);
            ++at;
        }
    }
    return std::nullopt;
}

}  // namespace drawhitch::config
