// Stopping a run: the recorded process group and nobody else, with a chance to save first, and proven from a connection
// of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flow/run/poll.hpp"

namespace drawhitch::flow {

struct StopOptions {
    std::string run{};
    std::chrono::seconds grace{30};  // between TERM and KILL
    bool strays{false};              // also processes of the run that left its group
};

struct StopReport {
    RunView view{};
    bool had_ended{false};               // nothing was sent
    std::string signal{};                // the last one sent
    std::vector<std::int64_t> strays{};  // processes of the run that still live outside of its group
    std::optional<Error> not_asked{};    // it had ended as the ledger says, and the box could not be asked: why
};

// Codes besides the connection's: not_found, locked, remote_failed (something cannot be killed; `why` tells),
// unconfirmed (the signal was sent, and nobody could see what came of it).
Result<StopReport> stop_run(const Op& op, Deps& deps, const model::Lease& lease, const StopOptions& options);

}  // namespace drawhitch::flow
