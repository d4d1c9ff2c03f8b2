// The sections that drawhitch.toml and config.toml have in common. Part of the loaders.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/config/reader.hpp"
#include "core/model/project.hpp"

namespace drawhitch::config {

// A command as a list of words, never a line for a shell. The first word must not be empty.
std::vector<std::string> read_argv(Reader& table, std::string_view key);
// [connection]
model::Connection read_connection(Reader& root);
// [notify] command
std::vector<std::string> read_notify(Reader& root);

}  // namespace drawhitch::config
