// The help texts, generated from the rows. Pure: registry in, text out.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/registry.hpp"

namespace drawhitch::cli {

struct Topic {
    std::string_view name{};
    std::string_view summary{};
    std::string (*text)(){nullptr};
};
std::span<const Topic> topics();

// A word of the tool and what it means, for `help words`.
struct Term {
    std::string_view word{};
    std::string_view meaning{};  // lines wrapped by hand at 80 columns, no full stop
};
std::span<const Term> glossary();

// All commands in their groups, and the topics.
std::string overview(const Registry& registry);
// Usage, description, arguments, options and examples of one command.
std::string command_help(const CommandRow& row);
// The commands of a family ("profile").
std::string family_help(const Registry& registry, std::string_view family);
// "drawhitch pull [BOX] [PATTERN…] [options]".
std::string usage_line(const CommandRow& row);
std::string global_options_help();

std::string_view title_of(Group group);

}  // namespace drawhitch::cli
