// The hash that names a tree of code: sorted paths, executable bits and content digests (docs/protocol.md, "Tree
// hash"). Shared by laptop and helper, so both sides name the same tree alike.
#pragma once

#include <span>
#include <vector>

#include "base/result.hpp"
#include "core/proto/file_entry.hpp"

namespace drawhitch::proto {

// Order of `entries` does not matter. A directory counts only if no other entry lies below it, so non-empty directories
// may be given or left out. Files need their `root` digest, symlinks their `target`; of the mode only the owner's
// execute bit counts; times, owners, devices and inodes never do.
// Code::unsafe_path for a path that is empty, absolute, has "." or ".." components, or occurs twice; Code::skipped for
// a FIFO, socket, device, unknown type or an entry with an error; Code::integrity for a file without its digest.
Result<Digest> tree_hash(std::span<const FileEntry> entries);

}  // namespace drawhitch::proto
