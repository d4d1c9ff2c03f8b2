// One function per command; each stands in the file of its verb beside this one.
#pragma once

#include "cli/command.hpp"

namespace drawhitch::cli {

CommandRow completion_command();
CommandRow complete_command();  // hidden: the completion scripts ask it
CommandRow demo_command();
CommandRow version_command();
CommandRow help_command();

}  // namespace drawhitch::cli
