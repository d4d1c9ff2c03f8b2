// The demo's own files and directories: making, listing and removing them. Symlinks are never followed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace drawhitch::demo {

// 0700; Code::exists when it is there.
Status make_directory(const std::string& path);
// 0600; Code::exists when it is there.
Status write_new_file(const std::string& path, std::string_view text);
// Regular files below `directory`, relative and sorted; names that begin with a dot are left out.
std::vector<std::string> files_below(const std::string& directory);
// Removes a directory of our own making with everything in it. Best effort: what cannot be removed stays.
void remove_tree(const std::string& path) noexcept;

}  // namespace drawhitch::demo
