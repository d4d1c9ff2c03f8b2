#include "io/term/table.hpp"

#include <algorithm>
#include <cassert>

#include "base/text.hpp"
#include "io/term/width.hpp"

namespace drawhitch::term {

namespace {

constexpr std::size_t k_gap = 2;                // blanks between columns
constexpr std::size_t k_smallest = 8;           // a shrinking column keeps at least this many
constexpr std::size_t k_good_shrunk = 20;       // before that, columns that may go are left out
constexpr std::size_t k_smallest_wrapped = 24;  // narrower lines of words are hard to read
constexpr std::size_t k_indent = 4;             // of what stands below its row

std::string aligned(const Column& column, std::string_view text, std::size_t width) {
    const std::string fitted = column.may_shrink ? cut_to_width(text, width) : std::string{text};
    return column.align == Align::right ? pad_left(fitted, width) : pad_right(fitted, width);
}

// As many words a line as fit; a longer word has a line of its own.
std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
    std::vector<std::string> lines(1);
    while (!text.empty()) {
        const std::string_view word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(word.size() + 1, text.size()));
        if (!lines.back().empty() && display_width(lines.back()) + 1 + display_width(word) > width) {
            lines.emplace_back();
        }
        if (!lines.back().empty()) lines.back() += ' ';
        lines.back() += word;
    }
    return lines;
}

void drop_trailing_blanks(std::string& line) {
    line.erase(line.find_last_not_of(' ') + 1);
}

}  // namespace

Cell Cell::none() {
    return Cell{.human = "-"};
}

Cell Cell::text(std::string_view text) {
    return Cell{.human = printable(text), .plain = std::string{text}, .json = Json{text}};
}

Cell Cell::name(std::string_view bytes) {
    return Cell{.human = printable(bytes), .plain = std::string{bytes}, .json = Json::name(bytes)};
}

Cell Cell::integer(std::int64_t value) {
    return Cell{.human = std::to_string(value), .plain = std::to_string(value), .json = Json{value}};
}

Cell Cell::bytes(std::uint64_t count) {
    return Cell{.human = human_bytes(count), .plain = std::to_string(count), .json = Json{count}};
}

Cell Cell::boolean(bool value) {
    return Cell{.human = value ? "yes" : "no", .plain = value ? "true" : "false", .json = Json{value}};
}

Cell Cell::time(WallTime at, WallTime now) {
    const std::int64_t age = now.seconds - at.seconds;
    const std::string span = human_duration(std::chrono::seconds{age < 0 ? -age : age});
    return Cell{.human = age < 0 ? "in " + span : span + " ago",
                .plain = rfc3339(at),
                .json = Json{rfc3339(at)},
                .age = Json{age}};
}

Cell Cell::duration(std::chrono::seconds length) {
    const auto seconds = static_cast<std::int64_t>(length.count());
    return Cell{.human = human_duration(length), .plain = std::to_string(seconds), .json = Json{seconds}};
}

Cell Cell::value(Json json, std::string_view human) {
    return Cell{.human = printable(human), .plain = std::string{human}, .json = std::move(json)};
}

namespace {

// What a column needs where it is as narrow as it is good to read.
std::size_t least_width(const Column& column, std::size_t width) {
    if (column.wraps) return std::min(width, k_smallest_wrapped);
    return column.may_shrink ? std::min(width, k_good_shrunk) : width;
}

std::size_t total_of(const std::vector<Column>& columns, const Layout& layout, bool least) {
    std::size_t total = 0;
    bool first = true;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (!layout.shown[i]) continue;
        total += (first ? 0 : k_gap) + (least ? least_width(columns[i], layout.widths[i]) : layout.widths[i]);
        first = false;
    }
    return total;
}

// Leaves the least important columns out until the rest can be made to fit, or only what always stays is left.
void drop_columns(const std::vector<Column>& columns, Layout& layout, std::size_t width) {
    while (total_of(columns, layout, true) > width) {
        std::size_t next = columns.size();
        for (std::size_t i = 0; i < columns.size(); ++i) {
            if (!layout.shown[i] || columns[i].drops == 0) continue;
            if (next == columns.size() || columns[i].drops > columns[next].drops) next = i;
        }
        if (next == columns.size()) return;
        layout.shown[next] = false;
    }
}

}  // namespace

namespace {

// Moves the last columns that may stand apart below their rows, until the rest fits.
void put_below(const std::vector<Column>& columns, Layout& layout, std::size_t width) {
    for (std::size_t i = columns.size(); i-- > 1 && total_of(columns, layout, true) > width;) {
        if (!layout.shown[i] || !columns[i].apart) continue;
        layout.shown[i] = false;
        layout.below[i] = true;
    }
}

std::string lower(std::string_view title) {
    std::string text;
    for (const char c : title)
        text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return text;
}

std::string cells_line(const std::vector<Column>& columns, const Layout& layout, const Row& row) {
    std::string line;
    std::string above;
    bool first = true;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (!layout.shown[i]) continue;
        if (!first) line.append(k_gap, ' ');
        const bool stands_above = first && columns[i].apart && display_width(row[i].human) > layout.widths[i];
        first = false;
        if (stands_above) {
            above = row[i].human + "\n";
            line.append(layout.widths[i], ' ');
            continue;
        }
        if (columns[i].wraps && display_width(row[i].human) > layout.widths[i]) {
            const std::string below = "\n" + std::string(display_width(line), ' ');
            return above + line + join(wrapped(row[i].human, layout.widths[i]), below);
        }
        line += aligned(columns[i], row[i].human, layout.widths[i]);
    }
    drop_trailing_blanks(line);
    return above + line;
}

}  // namespace

Layout plan_layout(const std::vector<Column>& columns, const std::vector<Row>& rows, std::size_t width) {
    Layout layout{.widths = std::vector<std::size_t>(columns.size(), 0),
                  .shown = std::vector<bool>(columns.size()),
                  .below = std::vector<bool>(columns.size()),
                  .width = width};
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].machine_only) continue;
        layout.shown[i] = true;
        layout.widths[i] = display_width(columns[i].title);
        for (const Row& row : rows)
            layout.widths[i] = std::max(layout.widths[i], display_width(row[i].human));
    }
    if (width == 0) return layout;
    drop_columns(columns, layout, width);
    put_below(columns, layout, width);
    std::size_t total = total_of(columns, layout, false);
    for (std::size_t i = columns.size(); i-- > 0 && total > width;) {
        const std::size_t least = columns[i].wraps ? k_smallest_wrapped : k_smallest;
        if (!layout.shown[i] || !(columns[i].may_shrink || columns[i].wraps) || layout.widths[i] <= least) continue;
        const std::size_t cut = std::min(total - width, layout.widths[i] - least);
        layout.widths[i] -= cut;
        total -= cut;
    }
    if (total > width && !columns.empty() && columns[0].apart) {
        const std::size_t least = std::max(k_smallest, display_width(columns[0].title));
        layout.widths[0] -= std::min(total - width, layout.widths[0] - std::min(layout.widths[0], least));
    }
    return layout;
}

std::string heading_line(const std::vector<Column>& columns, const Layout& layout) {
    Row titles;
    titles.reserve(columns.size());
    for (const Column& column : columns)
        titles.push_back(Cell{.human = std::string{column.title}});
    return cells_line(columns, layout, titles);
}

std::string row_line(const std::vector<Column>& columns, const Layout& layout, const Row& row) {
    assert(row.size() == columns.size());
    std::string line = cells_line(columns, layout, row);
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (!layout.below[i] || row[i].plain.empty()) continue;
        const std::string text = lower(columns[i].title) + ": " + row[i].human;
        const std::size_t room = std::max(layout.width, k_indent + k_smallest_wrapped) - k_indent;
        for (const std::string& part : wrapped(text, room))
            line += "\n" + std::string(k_indent, ' ') + part;
    }
    return line;
}

std::string tsv_escape(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const CodePoint point = decode_utf8(text.substr(at));
        const std::string_view piece = text.substr(at, std::max<std::size_t>(point.length, 1));
        at += piece.size();
        if (piece == "\\") {
            out += "\\\\";
        } else if (piece == "\t") {
            out += "\\t";
        } else if (piece == "\n") {
            out += "\\n";
        } else if (piece == "\r") {
            out += "\\r";
        } else {
            out += printable(piece);
        }
    }
    return out;
}

std::string tsv_line(const std::vector<Column>& columns, const Row& row) {
    assert(row.size() == columns.size());
    std::string line;
    bool first = true;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].machine_only) continue;
        if (!first) line += '\t';
        first = false;
        line += tsv_escape(row[i].plain);
    }
    return line;
}

Json json_row(const std::vector<Column>& columns, const Row& row) {
    assert(row.size() == columns.size());
    Json object = Json::object();
    for (std::size_t i = 0; i < columns.size(); ++i) {
        object.set(columns[i].key, row[i].json);
        if (row[i].age) object.set(std::string{columns[i].key} + "_age", *row[i].age);
    }
    return object;
}

}  // namespace drawhitch::term
