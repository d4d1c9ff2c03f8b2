// The one mapping of SQLite's result codes to our Codes.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace drawhitch::ledger {

// `code` is an extended result code; `detail` is SQLite's own sentence; `path` is the ledger's file. Busy codes become
// Code::locked without the holder, which only the caller can find. SQLite has one code for whatever its files meet:
// `system_error` is the errno behind it (0 when unknown), and the file system is asked what it has left.
Error sqlite_failure(int code, std::string_view detail, const std::string& path, int system_error = 0);

}  // namespace drawhitch::ledger
