// The files of the demo's project, built into the program.
#pragma once

#include <string_view>

namespace drawhitch::flow {

std::string_view demo_train_py();
std::string_view demo_profile_toml();

}  // namespace drawhitch::flow
