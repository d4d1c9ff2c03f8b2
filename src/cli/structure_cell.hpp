// How a table shows what a structure check said.
#pragma once

#include <string_view>

#include "core/model/roster.hpp"
#include "io/term/table.hpp"

namespace drawhitch::cli {

// Where no check knows the name's ending (text, logs, tables) there is nothing to tell people: the cell is empty, and
// only JSON has "unknown-format".
term::Cell structure_cell(std::string_view path, model::Structure structure);

}  // namespace drawhitch::cli
