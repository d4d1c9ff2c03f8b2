// Cells, columns and the layout of tables. Pure: values in, lines out; output.hpp decides where they go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/term/json.hpp"

namespace drawhitch::term {

enum class Align { left, right };

struct Column {
    std::string_view key{};    // the JSON member
    std::string_view title{};  // the heading on a terminal
    Align align{Align::left};
    bool machine_only{false};  // in JSON only
    bool may_shrink{false};  // cut with "…" when the terminal is too narrow; never used for text that must be copied
    int drops{0};            // > 0: left out where the terminal is too narrow for all, the highest first
    bool wraps{false};       // the last one shown: what does not fit goes on in lines below it, nothing is cut
    // Where the terminal is too narrow all the same, nothing is cut either: a cell of the first column that does not
    // fit has a line of its own above the rest of its row, and one of any other column has lines of its own below it.
    bool apart{false};
};

// One value in its three dresses.
struct Cell {
    std::string human{};        // for a terminal, printable
    std::string plain{};        // for TSV, before escaping
    Json json{};                // for --json
    std::optional<Json> age{};  // a time's age in seconds, written as KEY_age
    bool words{false};          // may be broken between two words where the terminal is too narrow for it

    static Cell none();  // "-" for people, empty in TSV, null in JSON
    static Cell text(std::string_view text);
    static Cell name(std::string_view bytes);  // see Json::name
    static Cell integer(std::int64_t value);
    static Cell bytes(std::uint64_t count);  // "1.5 GiB" for people, the integer for machines
    static Cell boolean(bool value);
    static Cell time(WallTime at, WallTime now);        // "12 min ago"; RFC 3339 for machines
    static Cell duration(std::chrono::seconds length);  // "3 h 20 min"; whole seconds for machines
    static Cell value(Json json, std::string_view human);
};

using Row = std::vector<Cell>;

// Heading and rows aligned for a terminal of `width` columns (0: unlimited). Lines carry no line end and no trailing
// blanks. `widths` is what the layout chose, so that rows arriving later can be laid out alike.
struct Layout {
    std::vector<std::size_t> widths{};
    std::vector<bool> shown{};  // per column
    std::vector<bool> below{};  // not shown in the row, but below it
    std::size_t width{0};       // of the terminal
};
Layout plan_layout(const std::vector<Column>& columns, const std::vector<Row>& rows, std::size_t width);
std::string heading_line(const std::vector<Column>& columns, const Layout& layout);
std::string row_line(const std::vector<Column>& columns, const Layout& layout, const Row& row);

// Tab-separated without a heading line, so that `cut -f1` works as it is; with backslash escapes for tab, newline,
// backslash, control bytes and bytes that are not UTF-8.
std::string tsv_escape(std::string_view text);
std::string tsv_line(const std::vector<Column>& columns, const Row& row);

Json json_row(const std::vector<Column>& columns, const Row& row);

}  // namespace drawhitch::term
