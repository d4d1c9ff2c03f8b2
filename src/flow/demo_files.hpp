// The files of the demo's project, built into the program.
#pragma once

#include <string_view>

namespace drawhitch::flow {

// Marks the demo's directory: what lies there belongs into no project's push or history.
inline constexpr std::string_view k_demo_mark = ".drawhitch-demo";

std::string_view demo_train_py();
std::string_view demo_profile_toml();

}  // namespace drawhitch::flow
