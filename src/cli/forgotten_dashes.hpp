// A command typed without the "--" in front of it (`run b1 python train.py`): the line with it. Pure.
#pragma once

#include <optional>
#include <string>

#include "cli/parser.hpp"

namespace drawhitch::cli {

// The whole line to type, if these words may be meant as a command for `located.row`, which takes one behind "--".
// Nothing where no word of a command is found, where "--" is there already, or where the line looks like holding a
// secret.
std::optional<std::string> with_dashes(const Located& located);

}  // namespace drawhitch::cli
