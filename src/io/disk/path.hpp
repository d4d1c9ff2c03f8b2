// The check every name passes before it is opened under a local root. Owns no descriptors.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace drawhitch::disk {

// The components of a path that proto::is_safe_path accepts; Code::unsafe_path for any other.
Result<std::vector<std::string_view>> split_relative(std::string_view path);

}  // namespace drawhitch::disk
