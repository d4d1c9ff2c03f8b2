// Completion: what may stand at the cursor, from the rows. The scripts for the shells only ask (`drawhitch __complete`)
// and show, so they never grow old. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/registry.hpp"

namespace drawhitch::cli {

struct Candidate {
    std::string word{};
    std::string summary{};
};

struct Completion {
    std::vector<Candidate> candidates{};
    bool files{false};  // names of files fit, too
};

// Names that only the caller knows, each asked for only where it may stand. What is left out gives none.
struct KnownNames {
    std::function<std::vector<std::string>()> boxes{};                       // of the open leases
    std::function<std::vector<std::string>(const std::string& box)> runs{};  // of one; "": of the only box
    std::function<std::vector<std::string>()> profiles{};
    std::function<std::vector<std::string>()> settings{};
};

// `words` are those after the program's name up to the cursor; the last one is being typed (perhaps empty).
Completion complete(const Registry& registry, std::vector<std::string> words, const KnownNames& known);

// The script of "bash", "zsh" or "fish"; empty for another shell.
std::string_view completion_script(std::string_view shell);

}  // namespace drawhitch::cli
