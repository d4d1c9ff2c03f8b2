// The user's config.toml: where it lies, and what it says.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "cli/globals.hpp"

namespace drawhitch::cli {

// --config or DRAWHITCH_CONFIG, else config.toml in the configuration directory; nothing when there is no such
// directory (no HOME). The file may not exist. `directory` is what a relative --config is relative to.
std::optional<std::string> settings_file(const Globals& globals, const Environment& environment,
                                         const std::string& directory);

// What it says; nothing when there is none. A file named by --config must be there. Code::config with every problem.
Result<model::Settings> read_settings(const Globals& globals, const Environment& environment,
                                      const std::string& directory);

}  // namespace drawhitch::cli
