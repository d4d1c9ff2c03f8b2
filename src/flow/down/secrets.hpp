// Deleting what must not outlive a lease: the secret files the ledger knows of. Private to flow/down.
#pragma once

#include <string>
#include <vector>

#include "flow/deps.hpp"

namespace drawhitch::flow {

struct RemovedSecrets {
    std::vector<std::string> removed{};  // gone, as the box says
    std::vector<std::string> kept{};     // still there, or nobody could look
};

// One script that removes the files and looks again. A box that does not answer any more leaves all of them in `kept`:
// they die with it. Codes: cancelled, deadline, those of the ledger.
Result<RemovedSecrets> remove_secrets(const Op& op, Deps& deps, const model::Lease& lease);

}  // namespace drawhitch::flow
