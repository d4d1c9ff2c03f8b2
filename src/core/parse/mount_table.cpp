#include "core/parse/mount_table.hpp"

#include <algorithm>

namespace drawhitch::parse {

namespace {

bool is_octal(char c) {
    return c >= '0' && c <= '7';
}

// The table writes blanks and the like as \ooo.
std::string unescaped(std::string_view field) {
    std::string raw;
    for (std::size_t at = 0; at < field.size(); ++at) {
        const bool escape = field[at] == '\\' && at + 3 < field.size() && is_octal(field[at + 1]) &&
                            is_octal(field[at + 2]) && is_octal(field[at + 3]);
        if (escape) {
            raw += static_cast<char>((field[at + 1] - '0') * 64 + (field[at + 2] - '0') * 8 + (field[at + 3] - '0'));
            at += 3;
        } else {
            raw += field[at];
        }
    }
    return raw;
}

std::string_view next_word(std::string_view& line) {
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    return word;
}

}  // namespace

std::optional<model::Mount> mount_line(std::string_view line) {
    model::Mount mount;
    next_word(line);  // its number
    next_word(line);  // its parent's
    mount.device = std::string{next_word(line)};
    mount.root = unescaped(next_word(line));
    mount.point = unescaped(next_word(line));
    const std::size_t dash = line.find(" - ");
    if (dash == std::string_view::npos || !mount.point.starts_with('/')) return std::nullopt;
    line.remove_prefix(dash + 3);
    mount.type = unescaped(next_word(line));
    mount.source = unescaped(next_word(line));
    return mount;
}

std::vector<model::Mount> mount_table(std::string_view text) {
    std::vector<model::Mount> mounts;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (auto mount = mount_line(line)) mounts.push_back(std::move(*mount));
    }
    return mounts;
}

}  // namespace drawhitch::parse
