// From the words of argv to a command and its values. parser.cpp is the only file that knows the option parser.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/globals.hpp"
#include "cli/parsed.hpp"
#include "cli/registry.hpp"

namespace drawhitch::cli {

// Which command was meant, and the words left for it.
struct Located {
    const CommandRow* row{nullptr};  // null: no verb was given
    std::vector<std::string> words{};
    std::optional<std::vector<std::string>> trailing{};
    bool help{false};      // -h or --help was among the words
    bool version{false};   // --version in place of a verb
    std::string family{};  // a family without its second word was named, as in "profile --help"
};

// Finds the verb among global flags. Code::usage with a suggestion for an unknown verb or an unknown flag before it.
Result<Located> locate(const Registry& registry, const std::vector<std::string>& words);

struct Invocation {
    Parsed parsed{};
    Parsed typed{};     // the global flags alone, as they were typed
    Globals globals{};  // these, and the variables that stand in for them
};

// Parses options and positionals of `located.row` (and the global flags among them), which must not be null.
Result<Invocation> parse(const Located& located, const Environment& environment);

}  // namespace drawhitch::cli
