#include "io/term/width.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/text.hpp"

namespace drawhitch::term {

namespace {

struct Range {
    std::uint32_t first{0};
    std::uint32_t last{0};
};

// Blocks from the Unicode charts, coarse on purpose: a rare misjudged character shifts one column, nothing more.
constexpr std::array k_zero_width{
    Range{0x0300, 0x036F}, Range{0x0483, 0x0489}, Range{0x0591, 0x05BD}, Range{0x0610, 0x061A},
    Range{0x064B, 0x065F}, Range{0x1AB0, 0x1AFF}, Range{0x1DC0, 0x1DFF}, Range{0x200B, 0x200D},
    Range{0x20D0, 0x20FF}, Range{0xFE00, 0xFE0F}, Range{0xFE20, 0xFE2F},
};
constexpr std::array k_double_width{
    Range{0x1100, 0x115F},   Range{0x2E80, 0x303E},   Range{0x3041, 0x33FF},   Range{0x3400, 0x4DBF},
    Range{0x4E00, 0x9FFF},   Range{0xA000, 0xA4CF},   Range{0xAC00, 0xD7A3},   Range{0xF900, 0xFAFF},
    Range{0xFE30, 0xFE4F},   Range{0xFF00, 0xFF60},   Range{0xFFE0, 0xFFE6},   Range{0x1F300, 0x1F64F},
    Range{0x1F680, 0x1F6FF}, Range{0x1F900, 0x1F9FF}, Range{0x20000, 0x3FFFD},
};

template <class Table>
bool within(const Table& table, std::uint32_t point) {
    return std::ranges::any_of(table, [point](const Range& r) { return point >= r.first && point <= r.last; });
}

std::size_t columns_of(std::uint32_t point) {
    if (point < 0x300) return 1;
    if (within(k_zero_width, point)) return 0;
    return within(k_double_width, point) ? 2 : 1;
}

}  // namespace

std::size_t display_width(std::string_view text) {
    std::size_t columns = 0;
    while (!text.empty()) {
        const CodePoint point = decode_utf8(text);
        columns += point.length == 0 ? 1 : columns_of(point.value);
        text.remove_prefix(std::max<std::size_t>(point.length, 1));
    }
    return columns;
}

std::string cut_to_width(std::string_view text, std::size_t columns) {
    if (display_width(text) <= columns) return std::string{text};
    if (columns == 0) return {};
    std::size_t used = 0;
    std::size_t at = 0;
    while (at < text.size()) {
        const CodePoint point = decode_utf8(text.substr(at));
        const std::size_t next = point.length == 0 ? 1 : columns_of(point.value);
        if (used + next > columns - 1) break;
        used += next;
        at += std::max<std::size_t>(point.length, 1);
    }
    return std::string{text.substr(0, at)} + "…";
}

std::string pad_right(std::string_view text, std::size_t columns) {
    std::string padded{text};
    const std::size_t width = display_width(text);
    if (width < columns) padded.append(columns - width, ' ');
    return padded;
}

std::string pad_left(std::string_view text, std::size_t columns) {
    const std::size_t width = display_width(text);
    std::string padded(width < columns ? columns - width : 0, ' ');
    return padded.append(text);
}

namespace {

// Where the later lines begin.
std::size_t hanging(std::string_view line) {
    constexpr std::size_t k_further = 2;
    constexpr std::size_t k_label = 12;  // an indent as deep as this stands below a label already
    const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t gap = line.find("  ", first);
    if (gap != std::string_view::npos) {
        const std::size_t behind = line.find_first_not_of(' ', gap);
        if (behind != std::string_view::npos) return display_width(line.substr(0, behind));
    }
    return first >= k_label ? first : first + k_further;
}

// The next word, with all between its backticks.
std::string_view word_of(std::string_view text) {
    std::size_t end = std::min(text.find(' '), text.size());
    const auto open = [&] { return std::ranges::count(text.substr(0, end), '`') % 2 != 0; };
    while (open() && end < text.size()) {
        const std::size_t close = text.find('`', end);
        if (close == std::string_view::npos) break;
        end = std::min(text.find(' ', close), text.size());
    }
    return text.substr(0, end);
}

}  // namespace

std::string broken_at(std::string_view line, std::size_t columns) {
    if (columns == 0 || display_width(line) <= columns) return std::string{line};
    const std::string indent(std::min(hanging(line), columns / 2), ' ');
    const std::size_t start = std::min(line.find_first_not_of(' '), line.size());
    std::string broken{line.substr(0, start)};
    std::size_t used = start;
    bool empty = true;
    for (std::string_view rest = line.substr(start); !rest.empty();) {
        const std::string_view word = word_of(rest);
        const std::size_t width = display_width(word);
        const std::size_t blanks = empty ? 0 : 1;
        if (!empty && used + blanks + width > columns) {
            broken.erase(broken.find_last_not_of(' ') + 1);
            broken += "\n" + indent;
            used = indent.size();
            empty = true;
        } else if (!empty) {
            broken += ' ';
            ++used;
        }
        broken += word;
        used += width;
        empty = empty && word.empty();
        rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    }
    return broken;
}

}  // namespace drawhitch::term
