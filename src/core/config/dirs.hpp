// Where things lie on the laptop, from the environment. Pure: the environment comes in as a function.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.hpp"

namespace drawhitch::config {

using Lookup = std::function<std::optional<std::string>(const std::string& name)>;

// Absolute paths without a trailing slash.
struct Dirs {
    std::string home{};    // may be empty
    std::string state{};   // $XDG_STATE_HOME/drawhitch, else $HOME/.local/state/drawhitch
    std::string config{};  // $XDG_CONFIG_HOME/drawhitch, else $HOME/.config/drawhitch
};

// Code::config when neither HOME nor the XDG variable is set. Relative values count as unset, as the XDG rules say.
Result<Dirs> find_dirs(const Lookup& environment);

}  // namespace drawhitch::config
