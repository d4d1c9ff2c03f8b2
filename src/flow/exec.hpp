// Exec: one command of the user's on a box, its output handed on as it comes. The command ends with the connection:
// cancel and deadline end its process group on the box (TERM, five seconds later KILL), which is waited for two
// seconds.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "flow/deps.hpp"
#include "io/transport/transport.hpp"

namespace drawhitch::flow {

struct ExecRequest {
    std::vector<std::string> command{};  // several words: exactly these; one word: a line for the shell
    std::string directory{};             // on the box; empty: the home
    std::string input{};                 // its stdin
};

using ExecSink = std::function<Status(transport::Stream, std::string_view)>;

// Codes: those of stream_script; the command's own end is the value.
Result<transport::Exit> exec(const Op& op, Deps& deps, const model::Lease& lease, const ExecRequest& request,
                             const ExecSink& sink);

// What a shell would have answered: 128 + n for a death by signal n, as far as its name is known.
int exit_code(const transport::Exit& exit);

}  // namespace drawhitch::flow
