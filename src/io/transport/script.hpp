// Running a POSIX shell script over a Transport: waits for the shell's ready line (64 KiB of start-up noise are skipped
// at most), sends the script, then `input`, and collects bounded output.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "io/transport/transport.hpp"

namespace drawhitch::transport {

struct ScriptResult {
    Exit exit{};
    std::string out{};    // after the ready line
    std::string err{};    // at most 64 KiB, the newest
    std::string noise{};  // what came before the ready line, on both streams, for diagnosis
};

struct ScriptLimits {
    std::size_t out_bytes{1U << 20U};  // more is Code::protocol: a box may not fill our memory
    milliseconds ready{30'000};        // how long a shell may take to get ready; slow start-up files exist
    milliseconds prompt{3'000};        // how long a prompt may stand unanswered before it counts as "no commands here"
};

// `script` may contain any lines but a lone "."; `input` follows it on the script's stdin, which then ends.
// A shell that never gets ready is Code::shell_missing with the last noise in `why`. The exit code is the caller's to
// judge.
Result<ScriptResult> run_script(const Op& op, Transport& transport, std::string_view script,
                                std::string_view input = {}, const ScriptLimits& limits = {});

// The same, streaming: every piece of stdout and stderr goes to `sink` as it comes; a sink's Error ends the run.
Result<Exit> stream_script(const Op& op, Transport& transport, std::string_view script,
                           const std::function<Status(Stream, std::string_view)>& sink, std::string_view input = {});

// A script that knows how much input there is: its stdin does not end behind the input but with the program or the
// connection, whichever ends first, so that the script can tell the loss of either.
struct TiedScript {
    std::string_view script{};
    std::string_view input{};
    // Run over the same transport, two seconds at most, when cancel or the deadline ended the exchange: it waits for
    // what the script started, and exits with 0 once that is gone. Empty: nobody waits.
    std::string_view farewell{};
};

// For exec. The Error of an exchange that was cut short says in `why` what is not known to have ended.
Result<Exit> stream_tied_script(const Op& op, Transport& transport, const TiedScript& tied,
                                const std::function<Status(Stream, std::string_view)>& sink);

}  // namespace drawhitch::transport
