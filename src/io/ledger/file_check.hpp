// Whether ledger.db may be opened at all: a look at the file and what lies beside it, before SQLite sees them. SQLite
// takes an empty file for a new database and throws its write-ahead log away, or plays the log into whatever file lies
// there now; either would destroy the only record of what is rented. Private to the room.
#pragma once

#include <string>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace drawhitch::ledger {

// Creates `path` (0600) in a state directory that never held a ledger; refuses what is no ledger's file. The descriptor
// is set where the file had to be read. It must outlive the database: closing any descriptor of a file drops the locks
// that this process's other connections hold on it.
// Codes: ledger (gone, emptied or replaced while its records lie beside it), unsafe_path, permission, local_io and the
// like.
Result<UniqueFd> prepare_file(const std::string& state_dir, const std::string& path);

}  // namespace drawhitch::ledger
