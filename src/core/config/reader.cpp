#include "core/config/reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/text.hpp"

namespace drawhitch::config {

namespace {

const Value k_empty_table{};

std::string shown(double number) {
    std::array<char, 32> digits{};
    const auto end =
        std::to_chars(digits.data(), digits.data() + digits.size(), number, std::chars_format::general, 12);
    return std::string(digits.data(), end.ptr);
}

template <class T>
std::string outside(const std::string& name, const std::string& value, Range<T> range) {
    const std::string least = shown(static_cast<double>(range.least));
    const std::string most = shown(static_cast<double>(range.most));
    return name + " is " + value + ", but must lie between " + least + " and " + most;
}

}  // namespace

std::string Reader::named(std::string_view key) const {
    std::string name = "'";
    if (!path_.empty()) name += path_ + ".";
    return name + printable(key) + "'";
}

const Value* Reader::find(std::string_view key) {
    if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.push_back(key);
    const auto at = std::find_if(value_->members.begin(), value_->members.end(),
                                 [&](const Value& member) { return member.key == key; });
    return at == value_->members.end() ? nullptr : &*at;
}

const Value* Reader::typed(std::string_view key, ValueKind kind) {
    const Value* member = find(key);
    if (member == nullptr) return nullptr;
    if (member->kind == kind) return member;
    log_->problem(member->at, named(key) + " must be " + std::string(kind_words(kind)) + ", not " +
                                  std::string(kind_words(member->kind)));
    return nullptr;
}

bool Reader::has(std::string_view key) {
    return find(key) != nullptr;
}

Position Reader::at(std::string_view key) const {
    for (const Value& member : value_->members) {
        if (member.key == key) return member.at;
    }
    return value_->at;
}

void Reader::require(std::string_view key) {
    if (!has(key)) log_->problem(value_->at, named(key) + " is missing");
}

std::string Reader::text(std::string_view key, std::string_view fallback) {
    const Value* value = typed(key, ValueKind::text);
    return value == nullptr ? std::string(fallback) : value->text;
}

std::optional<std::string> Reader::optional_text(std::string_view key) {
    const Value* value = typed(key, ValueKind::text);
    if (value == nullptr) return std::nullopt;
    return value->text;
}

std::int64_t Reader::integer(std::string_view key, std::int64_t fallback, Range<std::int64_t> range) {
    const Value* value = typed(key, ValueKind::integer);
    if (value == nullptr) return fallback;
    if (value->integer >= range.least && value->integer <= range.most) return value->integer;
    log_->problem(value->at, outside(named(key), std::to_string(value->integer), range));
    return fallback;
}

std::optional<int> Reader::optional_integer(std::string_view key, Range<int> range) {
    const std::int64_t none = std::int64_t{range.least} - 1;
    const std::int64_t value = integer(key, none, {range.least, range.most});
    if (value == none) return std::nullopt;
    return static_cast<int>(value);
}

std::optional<double> Reader::optional_number(std::string_view key, Range<double> range) {
    const Value* member = find(key);
    const bool is_integer = member != nullptr && member->kind == ValueKind::integer;
    const Value* value = is_integer ? member : typed(key, ValueKind::number);
    if (value == nullptr) return std::nullopt;
    if (std::isfinite(value->number) && value->number >= range.least && value->number <= range.most)
        return value->number;
    log_->problem(value->at, outside(named(key), shown(value->number), range));
    return std::nullopt;
}

double Reader::number(std::string_view key, double fallback, Range<double> range) {
    return optional_number(key, range).value_or(fallback);
}

bool Reader::flag(std::string_view key, bool fallback) {
    return optional_flag(key).value_or(fallback);
}

std::optional<bool> Reader::optional_flag(std::string_view key) {
    const Value* value = typed(key, ValueKind::boolean);
    if (value == nullptr) return std::nullopt;
    return value->flag;
}

std::optional<model::Date> Reader::date(std::string_view key) {
    const Value* value = typed(key, ValueKind::date);
    if (value == nullptr) return std::nullopt;
    return value->date;
}

std::vector<Text> Reader::texts(std::string_view key) {
    const Value* value = typed(key, ValueKind::array);
    std::vector<Text> list;
    if (value == nullptr) return list;
    for (const Value& item : value->items) {
        if (item.kind == ValueKind::text) {
            list.push_back(Text{item.text, item.at});
        } else {
            log_->problem(item.at, named(key) + " must hold strings, not " + std::string(kind_words(item.kind)));
        }
    }
    return list;
}

std::map<std::string, Text> Reader::text_table(std::string_view key) {
    const Value* value = typed(key, ValueKind::table);
    std::map<std::string, Text> map;
    if (value == nullptr) return map;
    for (const Value& member : value->members) {
        if (member.kind == ValueKind::text) {
            map[member.key] = Text{member.text, member.at};
        } else {
            log_->problem(member.at, named(key) + " must hold strings, but '" + printable(member.key) + "' is " +
                                         std::string(kind_words(member.kind)));
        }
    }
    return map;
}

Reader Reader::table(std::string_view key) {
    const Value* value = typed(key, ValueKind::table);
    std::string path = path_.empty() ? std::string(key) : path_ + "." + std::string(key);
    return Reader(value == nullptr ? k_empty_table : *value, std::move(path), *log_);
}

std::vector<Reader> Reader::tables(std::string_view key) {
    const Value* value = typed(key, ValueKind::array);
    std::vector<Reader> list;
    if (value == nullptr) return list;
    const std::string path = path_.empty() ? std::string(key) : path_ + "." + std::string(key);
    for (const Value& item : value->items) {
        if (item.kind == ValueKind::table) {
            list.emplace_back(item, path, *log_);
        } else {
            log_->problem(item.at, named(key) + " must hold tables, not " + std::string(kind_words(item.kind)));
        }
    }
    return list;
}

void Reader::bad_word(const Text& item, std::string_view key, const std::vector<std::string_view>& allowed) {
    std::string message = named(key) + " knows no '" + printable(item.text) + "'" + did_you_mean(item.text, allowed);
    message += " (one of";
    for (std::string_view word : allowed)
        message += " " + std::string(word);
    log_->problem(item.at, message + ")");
}

void Reader::finish() {
    for (const Value& member : value_->members) {
        if (std::find(known_.begin(), known_.end(), member.key) != known_.end()) continue;
        log_->problem(member.key_at, "unknown key " + named(member.key) + did_you_mean(member.key, known_));
    }
}

std::vector<std::string> plain(const std::vector<Text>& texts) {
    std::vector<std::string> list;
    for (const Text& text : texts)
        list.push_back(text.text);
    return list;
}

}  // namespace drawhitch::config
