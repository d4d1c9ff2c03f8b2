// Value: a TOML document as a plain tree with positions. The TOML library stays behind parse_toml, in one file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/problem.hpp"
#include "core/model/profile.hpp"

namespace drawhitch::config {

enum class ValueKind { text, integer, number, boolean, date, array, table, other };

// "a string", "an integer" …: for messages.
std::string_view kind_words(ValueKind kind);

// One value; only the field of its kind is meaningful. An integer also fills `number`.
struct Value {
    ValueKind kind{ValueKind::table};
    Position at{};
    Position end{};  // one past its last character
    std::string text{};
    std::int64_t integer{0};
    double number{0};
    bool flag{false};
    model::Date date{};
    std::vector<Value> items{};    // of an array
    std::vector<Value> members{};  // of a table, in the order of the file
    // A member of a table carries its key.
    std::string key{};
    Position key_at{};
};

// Where a byte beyond ASCII stands outside of strings and comments, or behind a backslash: always an error in TOML, and
// one that the library's scanner for blanks answers with undefined behaviour, so it is found first.
std::optional<Position> find_stray_letter(std::string_view text);

// The document's root table. A syntax error is one problem in `log` (the parser stops at the first) and an empty table.
Value parse_toml(std::string_view text, Log& log);

}  // namespace drawhitch::config
