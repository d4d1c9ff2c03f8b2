// The state directory: where the ledger and the locks live. Private to the user, or refused.
#pragma once

#include <string>

#include "base/result.hpp"

namespace drawhitch::ledger {

// Creates the directory (0700, parents as needed) or checks the one that is there. Codes: permission (another user's,
// or open to others; `next` is the chmod to type), read_only, no_space, local_io (not a directory).
Status prepare_state_dir(const std::string& path);

enum class FilesystemKind { local, network };
// Whether the file or directory lies on a filesystem whose locks and shared memory are those of another machine. What
// cannot be recognised counts as network: the slower journal is right everywhere.
FilesystemKind filesystem_of(const std::string& path);

}  // namespace drawhitch::ledger
