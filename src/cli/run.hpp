// The program: argv in, exit code out.
#pragma once

#include <string>
#include <vector>

#include "cli/registry.hpp"
#include "cli/session.hpp"

namespace drawhitch::cli {

// Everything `main` does: standard descriptors, signals, then `run`.
int main(int argc, char** argv);

// One command, from its words (without the program's name) to its exit code.
int run(const Registry& registry, const std::vector<std::string>& words, const Surroundings& around);

}  // namespace drawhitch::cli
