// The kernel's table of mounts (/proc/self/mountinfo) as rows. Total: lines that make no sense are left out.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/model/mount.hpp"

namespace drawhitch::parse {

std::optional<model::Mount> mount_line(std::string_view line);
std::vector<model::Mount> mount_table(std::string_view text);

}  // namespace drawhitch::parse
