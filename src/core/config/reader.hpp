// Reader: typed access to one table of a TOML document. Every accessor checks type and range, reports to the log and
// returns the fallback when something is wrong, so that a loader reads on and reports everything. Each key asked for is
// known; finish() reports all others.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/value.hpp"
#include "core/model/words.hpp"

namespace drawhitch::config {

// A string with its place, for checks that come after reading.
struct Text {
    std::string text{};
    Position at{};
};

std::vector<std::string> plain(const std::vector<Text>& texts);

template <class T>
struct Range {
    T least{};
    T most{};
};

class Reader {
  public:
    // Keys are literals: the reader keeps views of them. `path` is the table's dotted name for messages, "" for the
    // root. `value` and `log` outlive the reader.
    Reader(const Value& value, std::string path, Log& log) : value_(&value), path_(std::move(path)), log_(&log) {}

    [[nodiscard]] bool has(std::string_view key);
    // The place of a key's value; of the table when the key is missing.
    [[nodiscard]] Position at(std::string_view key) const;
    [[nodiscard]] Position at() const { return value_->at; }
    // Reports a missing key.
    void require(std::string_view key);

    std::string text(std::string_view key, std::string_view fallback = {});
    std::optional<std::string> optional_text(std::string_view key);
    std::int64_t integer(std::string_view key, std::int64_t fallback, Range<std::int64_t> range);
    std::optional<int> optional_integer(std::string_view key, Range<int> range);
    double number(std::string_view key, double fallback, Range<double> range);
    std::optional<double> optional_number(std::string_view key, Range<double> range);
    bool flag(std::string_view key, bool fallback);
    std::optional<bool> optional_flag(std::string_view key);
    std::optional<model::Date> date(std::string_view key);
    std::vector<Text> texts(std::string_view key);
    std::map<std::string, Text> text_table(std::string_view key);

    template <class E>
    std::optional<E> optional_word(std::string_view key) {
        const Value* value = typed(key, ValueKind::text);
        return value == nullptr ? std::nullopt : word<E>(Text{value->text, value->at}, key);
    }
    template <class E>
    E word(std::string_view key, E fallback) {
        return optional_word<E>(key).value_or(fallback);
    }
    template <class E>
    std::vector<E> words(std::string_view key) {
        std::vector<E> list;
        for (const Text& item : texts(key)) {
            if (const auto value = word<E>(item, key)) list.push_back(*value);
        }
        return list;
    }

    // A sub-table; an empty one when missing or of another type.
    Reader table(std::string_view key);
    std::vector<Reader> tables(std::string_view key);

    void problem(Position at, std::string message) { log_->problem(at, std::move(message)); }
    void warn(Position at, std::string message) { log_->warn(at, std::move(message)); }
    // "'ssh.port'": the key with the table's path, quoted, for messages.
    [[nodiscard]] std::string named(std::string_view key) const;

    // Reports keys nobody asked for.
    void finish();

  private:
    const Value* find(std::string_view key);
    // The value if it is there and of this kind; reports another kind.
    const Value* typed(std::string_view key, ValueKind kind);
    void bad_word(const Text& item, std::string_view key, const std::vector<std::string_view>& allowed);

    template <class E>
    std::optional<E> word(const Text& item, std::string_view key) {
        const auto value = model::value_of<E>(item.text);
        if (value) return value;
        std::vector<std::string_view> allowed;
        for (const auto& known : model::words<E>())
            allowed.push_back(known.text);
        bad_word(item, key, allowed);
        return std::nullopt;
    }

    const Value* value_{nullptr};
    std::string path_{};
    Log* log_{nullptr};
    std::vector<std::string_view> known_{};
};

}  // namespace drawhitch::config
