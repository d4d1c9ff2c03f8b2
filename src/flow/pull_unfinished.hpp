// Which pull works in a directory and has not come to its end: its private directory is still there. Looks only.
#pragma once

#include <optional>
#include <string>

#include "flow/deps.hpp"

namespace drawhitch::flow {

// What is to be told of such a pull, with the command that takes it up again: Code::not_found, for who looked for what
// the pull would have proven. Nothing where there is none that this ledger knows. Codes of the ledger.
Result<std::optional<Error>> unfinished_pull(const Deps& deps, const std::string& directory);

// The command that pulls again into this directory what the newest receipt about it is for; empty: no receipt of this
// ledger is. Errors are the ledger's.
Result<std::string> pull_that_landed(const Deps& deps, const std::string& directory);

}  // namespace drawhitch::flow
