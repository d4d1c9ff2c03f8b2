// Parsed: what the user typed for one command, already checked against its rows. A plain bag of values.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "cli/command.hpp"

namespace drawhitch::cli {

// Words matched to positional rows by name. Asking for a name that no row has is a bug and asserts.
class Arguments {
  public:
    Arguments() = default;
    // Matches `words` to `rows`, left to right; a `many` or `any` row takes all that are left. Code::usage for one too
    // few or too many. `verb` is for the message.
    static Result<Arguments> match(std::string_view verb, std::span<const PositionalRow> rows,
                                   std::vector<std::string> words);

    // The one word of a row; nothing when it was left out.
    [[nodiscard]] std::optional<std::string> one(std::string_view name) const;
    [[nodiscard]] std::vector<std::string> many(std::string_view name) const;

  private:
    std::vector<std::pair<std::string, std::vector<std::string>>> values_{};
};

// The typed value of an option word, or Code::usage naming `option`.
Result<std::int64_t> parse_integer(std::string_view option, std::string_view word);
Result<milliseconds> parse_duration(std::string_view option, std::string_view word);
Result<std::uint64_t> parse_bytes(std::string_view option, std::string_view word);

// Getters take the option's key ("out" for --out). Asking for a key that the command's rows lack is a bug and asserts;
// so is asking for the wrong kind. Numbers were checked when parsing, so getters do not fail.
class Parsed {
  public:
    struct Values {
        std::vector<std::pair<std::string, std::vector<std::string>>>
            options{};                                       // key -> words; a flag has one "" a time
        std::vector<std::string> words{};                    // positionals, unmatched
        std::optional<std::vector<std::string>> trailing{};  // what followed "--"
    };
    // Checks kinds, choices and required options against the row. Code::usage.
    static Result<Parsed> check(const CommandRow& row, Values values);

    // Whether the option was typed at all, whatever its kind.
    [[nodiscard]] bool given(std::string_view key) const;
    [[nodiscard]] const CommandRow& row() const { return *row_; }
    [[nodiscard]] bool flag(std::string_view key) const { return count(key) > 0; }
    [[nodiscard]] std::size_t count(std::string_view key) const;
    // The words as they were typed, whatever the option's kind; a flag has one "" a time.
    [[nodiscard]] std::vector<std::string> typed(std::string_view key) const;
    [[nodiscard]] std::optional<std::string> text(std::string_view key) const;  // also for paths
    [[nodiscard]] std::vector<std::string> list(std::string_view key) const;
    [[nodiscard]] std::optional<std::int64_t> integer(std::string_view key) const;
    [[nodiscard]] std::optional<milliseconds> duration(std::string_view key) const;
    [[nodiscard]] std::optional<std::uint64_t> bytes(std::string_view key) const;

    // Positionals by name, for commands whose BOX may not be left out. Others call resolve_box first.
    [[nodiscard]] const Arguments& arguments() const { return arguments_; }
    [[nodiscard]] const std::vector<std::string>& words() const { return values_.words; }
    // The command after "--"; empty when there was none.
    [[nodiscard]] std::vector<std::string> trailing() const;

  private:
    [[nodiscard]] const std::vector<std::string>& words_of(std::string_view key, OptionKind kind) const;

    const CommandRow* row_{nullptr};
    Values values_{};
    Arguments arguments_{};
};

// BOX and what follows it.
struct BoxArguments {
    std::string box{};
    bool named{false};  // it was typed; else it is the project's
    Arguments rest{};   // matched to the rows after BOX
};

// Applies the rule of the grammar: BOX may be left out when the project has one. The first word is the box when it is a
// known name; else the project's box is meant and all words are arguments. `known` are the names of all leases.
// Code::not_found for a name that nothing has, with the nearest one suggested; Code::usage when no box was given.
Result<BoxArguments> resolve_box(const Parsed& parsed, const std::optional<std::string>& project_box,
                                 std::span<const std::string> known);

}  // namespace drawhitch::cli
