// Reading the configuration files of the user and of the project, with a look at whose they are. Owns no meaning: texts
// go to core/config. Never opens what is not a regular file, never waits on one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace drawhitch::disk {

// No configuration file is this large; a larger one is a mistake.
inline constexpr std::size_t k_config_file_limit = 1U << 20U;

// The user whose files count: this process's effective one. Tests pass another to see what strangers' files do.
unsigned current_user();

struct ConfigFile {
    std::string path{};  // absolute when found by discovery
    std::string text{};
};

// The user's own file (config.toml, a profile). Nothing when there is none; Code::permission when it belongs to
// somebody else (but root) or everybody may write it, because it decides what runs; Code::config when it is no regular
// file or too large; local_io and permission from the system.
Result<std::optional<ConfigFile>> read_user_file(const std::string& path, unsigned user = current_user());

// Result of looking for drawhitch.toml from a directory upwards.
struct Discovery {
    std::optional<ConfigFile> found{};
    std::vector<std::string> ignored{};  // one sentence for each file passed over, for a warning
};

// The nearest `name` in `directory` (absolute) or above it that belongs to this user and that not everybody may write;
// others are passed over and said. Code::permission when our own cannot be read.
Result<Discovery> find_upwards(const std::string& directory, std::string_view name, unsigned user = current_user());

// Makes the directory (and missing parents, 0700) and checks that it is a directory of ours that nobody else can read
// or write. Code::permission with the chmod to type when it is looser, with the owner when it is another's;
// Code::read_only, no_space and the like from the system.
Status private_directory(const std::string& path, unsigned user = current_user());

// Makes the directory and missing parents with 0700; an existing one is fine whatever its mode. For config directories.
Status make_directories(const std::string& path);

}  // namespace drawhitch::disk
