// Programs on this machine that the transports call for help: `ssh`, `ssh-keygen`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/op.hpp"
#include "io/transport/child.hpp"

namespace drawhitch::transport {

// Code::not_found, with what to install, when there is no such program.
Result<std::unique_ptr<Child>> start_program(std::vector<std::string> argv, bool own_session);

struct ProgramOutput {
    Exit exit{};
    std::string out{};
    std::string err{};
};

// Runs a short program without input to its end. Code::protocol when it prints more than 256 KiB.
Result<ProgramOutput> run_program(const Op& op, std::vector<std::string> argv);

struct ToolOutcome {
    Exit exit{};
    bool timed_out{false};  // it did not end within `limit` and was killed with its process group
    std::string tail{};     // the last 4 KiB that it wrote to either stream, raw
};

// Runs a program of the user's in `directory`, without input, for `limit` at most, whatever it prints. The Op's own
// end kills the process group at once and is the Error; others are those of starting it (not_found, permission …).
Result<ToolOutcome> run_tool(const Op& op, std::vector<std::string> argv, const std::string& directory,
                             milliseconds limit);

// Runs a program with our own standard streams and terminal, and waits for it. Cancel ends it with TERM.
Result<Exit> run_with_terminal(const Op& op, std::vector<std::string> argv, const std::string& directory = {});

}  // namespace drawhitch::transport
