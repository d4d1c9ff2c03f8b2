// Credentials in what the user typed for a run. Private to flow/run.
#pragma once

#include "flow/run/launch.hpp"

namespace drawhitch::flow {

// A run's command, its activation line, its patterns and the values of harmless variables are kept: in the ledger, in
// the run's record and script on the box, in what is pulled and in what is exported. Code::usage when something that
// looks like a credential is among them; the error has the place and the way a job gets one, never the value.
Status check_no_secrets(const Deps& deps, const model::Lease& lease, const LaunchOptions& options);

}  // namespace drawhitch::flow
