// Registry: every command there is, and finding one by what the user typed.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"

namespace drawhitch::cli {

class Registry {
  public:
    explicit Registry(std::vector<CommandRow> rows) : rows_(std::move(rows)) {}

    [[nodiscard]] std::span<const CommandRow> rows() const { return rows_; }
    // The row of a verb or alias ("pull", "profile ls"); null when there is none.
    [[nodiscard]] const CommandRow* find(std::string_view verb) const;
    // True for the first word of two-word verbs ("profile").
    [[nodiscard]] bool is_family(std::string_view word) const;
    // The second words of a family, in order.
    [[nodiscard]] std::vector<std::string> members(std::string_view family) const;
    // First words of all verbs and aliases that are not hidden, each once.
    [[nodiscard]] std::vector<std::string> first_words() const;

  private:
    std::vector<CommandRow> rows_;
};

// All commands of drawhitch, in the order of `help`.
Registry all_commands();

}  // namespace drawhitch::cli
