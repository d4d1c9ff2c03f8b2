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
        } else if (!is_long && (text[at] == quote || text[at] == '\n')) {
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

}  // namespace

std::optional<Position> find_stray_letter(std::string_view text) {
    std::size_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    while (at < text.size()) {
        if (text[at] == '#') {
            at = std::min(text.find('\n', at), text.size());
        } else if (text[at] == '"' || text[at] == '\'') {
            const std::size_t end = skip_string(text, at);
            if (end < text.size() && is_beyond_ascii(text[end])) return position_of(text, end);
            at = end;
        } else if (is_beyond_ascii(text[at])) {
            return position_of(text, at);
        } else {
            ++at;
        }
    }
    return std::nullopt;
}

}  // namespace drawhitch::config
