// The only file that includes the TOML library. Its exceptions are off: a syntax error is a value. So are its
// assertions: some of them fail on mere bad input (a table header "[>x]"), which the code behind them handles.
#include "core/config/value.hpp"

#undef NDEBUG  // with it the library would promise its assertions to the optimiser
#define TOML_ASSERT(expression) static_assert(true)
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <algorithm>

#include "base/text.hpp"

namespace drawhitch::config {

namespace {

Position position(const toml::source_position& place) {
    return Position{static_cast<int>(place.line), static_cast<int>(place.column)};
}

Value convert(const toml::node& node);

void convert_members(const toml::table& table, Value& value) {
    for (const auto& [key, node] : table) {
        value.members.push_back(convert(node));
        value.members.back().key = key.str();
        value.members.back().key_at = position(key.source().begin);
    }
    // The library sorts keys; problems are told in the order of the file.
    std::stable_sort(value.members.begin(), value.members.end(), [](const Value& a, const Value& b) {
        return a.key_at.line != b.key_at.line ? a.key_at.line < b.key_at.line : a.key_at.column < b.key_at.column;
    });
}

Value convert(const toml::node& node) {
    Value value;
    value.kind = ValueKind::other;
    value.at = position(node.source().begin);
    value.end = position(node.source().end);
    if (const toml::table* table = node.as_table()) {
        value.kind = ValueKind::table;
        convert_members(*table, value);
    } else if (const toml::array* array = node.as_array()) {
        value.kind = ValueKind::array;
        for (const toml::node& item : *array)
            value.items.push_back(convert(item));
    } else if (const auto* text = node.as_string()) {
        value.kind = ValueKind::text;
        value.text = text->get();
    } else if (const auto* integer = node.as_integer()) {
        value.kind = ValueKind::integer;
        value.integer = integer->get();
        value.number = static_cast<double>(value.integer);
    } else if (const auto* number = node.as_floating_point()) {
        value.kind = ValueKind::number;
        value.number = number->get();
    } else if (const auto* flag = node.as_boolean()) {
        value.kind = ValueKind::boolean;
        value.flag = flag->get();
    } else if (const auto* date = node.as_date()) {
        value.kind = ValueKind::date;
        value.date = {date->get().year, date->get().month, date->get().day};
    }
    return value;
}

}  // namespace

std::string_view kind_words(ValueKind kind) {
    switch (kind) {
        case ValueKind::text:
            return "a string";
        case ValueKind::integer:
            return "an integer";
        case ValueKind::number:
            return "a number";
        case ValueKind::boolean:
            return "true or false";
        case ValueKind::date:
            return "a date";
        case ValueKind::array:
            return "an array";
        case ValueKind::table:
            return "a table";
        case ValueKind::other:
            return "a time";
    }
    return "a value";
}

Value parse_toml(std::string_view text, Log& log) {
    if (const auto stray = find_stray_letter(text)) {
        log.problem(*stray, "only strings and comments may hold letters beyond ASCII");
        return {};
    }
    const toml::parse_result parsed = toml::parse(text, std::string_view{});
    if (!parsed) {
        log.problem(position(parsed.error().source().begin), printable(parsed.error().description()));
        return {};
    }
    Value root;
    root.at = Position{1, 1};
    convert_members(parsed.table(), root);
    return root;
}

}  // namespace drawhitch::config
