// RunProgram: a program run to its end with given input, for tests of scripts and of our own binary.
#pragma once

#include <string>
#include <vector>

namespace drawhitch::support {

struct Ran {
    int code{-1};   // exit code; -1 when a signal ended it
    int signal{0};  // the signal's number, or 0
    std::string out{};
    std::string err{};
};

struct Program {
    std::vector<std::string> argv{};  // argv[0] is looked up in the test's own PATH when it has no '/'
    std::string input{};
    std::vector<std::string> env{};  // "NAME=value"; replaces or extends the environment
    std::string directory{};         // empty: the test's own
};

// Throws when the program cannot be started.
Ran run_program(const Program& program);

// Started and left alone, with all streams on /dev/null; `wait_for` collects it.
int start_program(const Program& program);
Ran wait_for(int pid);

}  // namespace drawhitch::support
