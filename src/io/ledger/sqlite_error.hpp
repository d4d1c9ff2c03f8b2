// The one mapping of SQLite's result codes to our Codes.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace drawhitch::ledger {

// `code` is an extended result code; `detail` is SQLite's own sentence; `path` is the ledger's file. Busy codes become
// Code::locked without the holder, which only the caller can find.
Error sqlite_failure(int code, std::string_view detail, const std::string& path);

}  // namespace drawhitch::ledger
