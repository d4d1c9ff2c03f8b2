// The script that runs one command of the user's on a box, so that it ends with the connection. Builds text only.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace drawhitch::plan {

struct ExecSpec {
    std::vector<std::string> command{};  // several words: exactly these; one word: a line for /bin/sh
    std::string directory{};             // relative to the home; empty: the home
    std::size_t input_bytes{0};          // how many bytes follow the script as the command's input
    std::string nonce{};                 // hex; the name of its watcher among the box's processes
};

// The process ends as the command does, with its code or signal. When stdin ends before it, the process group gets
// TERM, and what is left of it five seconds later KILL; whoever watches over that ends with the group. The command
// starts once all of its input is there.
std::string exec_script(const ExecSpec& spec);

// Waits for less than two seconds for the end of the command that carries this nonce and of all that belongs to it: the
// script's exit code is 0, or 3 when something of it lives on.
std::string exec_ended_script(std::string_view nonce);

// The same words as one line for a login shell of any kind (bash, zsh, fish, csh …), which reads nothing into them: for
// programs that need the user's terminal, where no script can be sent. Not empty.
std::string login_line(const std::vector<std::string>& command);

}  // namespace drawhitch::plan
