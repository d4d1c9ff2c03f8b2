// A run's claim: its name in the ledger, with a token that proves to the box whose the name is. The token is kept
// before the claim and the claim before anything is sent, so a launch that was killed anywhere is found again by its
// name.
#pragma once

#include <string>

#include "base/result.hpp"
#include "core/model/run.hpp"
#include "flow/run/launch.hpp"

namespace drawhitch::ledger {
class Ledger;
}

namespace drawhitch::flow {

// The token of that name, empty if it never had one. 32 hex digits; no secret: it stands in the wrapper on the box.
Result<std::string> known_token(const ledger::Ledger& ledger, std::int64_t lease, const std::string& name);
// The same, made and kept on first use. One name has one token for the life of its lease.
Result<std::string> claim_token(ledger::Ledger& ledger, std::int64_t lease, const std::string& name);

// Whether an attempt that failed so certainly sent nothing: there was no connection.
bool never_connected(const Error& error);

// Claimed here and never seen to have begun: whoever claims it again goes on with it.
bool awaits_its_start(const model::Run& run);
// Whether these options ask for the very run that was claimed: command, outputs, GPUs and activation.
bool asks_for(const LaunchOptions& options, const model::RunSpec& claimed);

}  // namespace drawhitch::flow
