// Where this program lies, to start itself again.
#pragma once

#include <string>

#include "base/result.hpp"

namespace drawhitch::cli {

// Absolute path of the running executable. Code::internal where the system does not tell.
Result<std::string> own_path();

}  // namespace drawhitch::cli
