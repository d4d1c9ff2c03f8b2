// A run's claim: its name in the ledger, with a token that proves to the box whose the name is. The token is kept
// before the claim and the claim before anything is sent, so a launch that was killed anywhere is found again by its
// name.
#pragma once

#include <optional>
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
// Whether the call that claimed the run may still be at work: its process lives. A number may have been given anew, so
// a claim older than any launch takes is nobody's.
bool launch_is_under_way(const model::Run& run, WallTime now);
// What to say of a claim that nothing began under: the name, and both ways out of it.
std::string name_stays_taken(const std::string& box, const std::string& run);
std::string stop_command(const std::string& box, const std::string& run);
// The error for who wants something of a run that, as far as the ledger knows, never began and is not being started.
std::optional<Error> unbegun_problem(const std::string& box, const model::Run& run, WallTime now);
// Whether these options ask for the very run that was claimed: command, outputs, GPUs and activation.
bool asks_for(const LaunchOptions& options, const model::RunSpec& claimed);

}  // namespace drawhitch::flow
