// How one event of the ledger looks: its detail as words for people, and as the object it is for machines. Values in,
// a cell out.
#pragma once

#include <string>

#include "io/term/table.hpp"

namespace drawhitch::cli {

// "files: 5" for {"files":5}; what is no object is told as it stands.
term::Cell event_cell(const std::string& json);

}  // namespace drawhitch::cli
