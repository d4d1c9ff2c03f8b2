// The shells a box may have as /bin/sh, each with the tools that usually come with it. busybox gets nothing but its own
// applets: no bash, no GNU tools, no perl.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/temp_dir.hpp"

namespace drawhitch::support {

struct Shell {
    std::string name{};
    std::vector<std::string> argv{};  // before the script's name
    std::string path{};               // PATH on such a box
    bool can_reset_signals{true};     // has a tool that gives INT back to a background job
};

// Made once a process. Throws when one of the three is not installed: scripts/setup installs them.
const std::vector<Shell>& shells();
const Shell& shell_named(std::string_view name);

}  // namespace drawhitch::support
