// Whole-file writes that are either the old file or the new one, whatever happens in between.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "io/disk/root.hpp"

namespace drawhitch::disk {

// Writes `data` to `path` under `root`: a new file beside it, flushed, renamed over it, directory flushed. Missing
// directories are made. On any failure the old file is untouched and the new one removed.
Status write_atomic(const Root& root, std::string_view path, std::string_view data, unsigned mode = 0644);
// The same for a path the user named (its directory must exist).
Status write_atomic(const std::string& path, std::string_view data, unsigned mode = 0644);

// The whole of a regular file of at most `limit` bytes (Code::local_io if it is larger).
Result<std::string> read_whole(const Root& root, std::string_view path, std::size_t limit);
Result<std::string> read_whole(const std::string& path, std::size_t limit);

}  // namespace drawhitch::disk
