// Why a gate is closed, for people: many reasons in few lines. Reasons about one run stand together, as do processes,
// and what is listed is exactly what the commands name. Values in, lines out; pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/judge/gate.hpp"

namespace drawhitch::plan {

// Printable lines, indented by two; commands to type stand alone on lines indented by six.
std::vector<std::string> gate_lines(const judge::Gate& gate);
// Whether such a line holds a command to type, or a file's name to read: who breaks lines must keep it one.
bool is_command(std::string_view line);
bool stays_whole(std::string_view line);
// Every name that these lines, or a single reason, tell to give.
std::vector<std::string> told_names(const judge::Gate& gate);
// As many reasons as these lines tell.
std::size_t told_reasons(const judge::Gate& gate);
// What to type next: the first command that saves or waits; where nothing is left but names, all of them.
std::string gate_next(const judge::Gate& gate);

}  // namespace drawhitch::plan
