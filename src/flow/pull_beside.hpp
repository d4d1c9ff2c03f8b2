// What lies beside a pull's own files: outputs of the run that no pattern named, and proven copies in other
// directories. Reads only. Private to flow/pull*.cpp.
#pragma once

#include <string>
#include <vector>

#include "core/plan/roster_proposal.hpp"
#include "flow/pull.hpp"
#include "io/agent/agent.hpp"
#include "io/ledger/ledger.hpp"

namespace drawhitch::flow {

// Patterns for what the run has made and its roster does not name: those of `patterns` that meet some of it, else
// proposed ones, the largest first. None where nobody knows what of the work tree came with the code. `root` is the
// run's directory, opened on `agent`.
Result<std::vector<plan::ProposedPattern>> unnamed_outputs(const Op& op, agent::Agent& agent, proto::RootId root,
                                                           const ledger::Ledger& ledger, const model::Run& run,
                                                           const std::vector<std::string>& patterns);

// An error about patterns that met nothing, with what is really there and the line that declares it. Unchanged when
// there is nothing.
Error advise_outputs(Error error, const std::string& box, const std::string& run, const PullOptions& options,
                     const std::vector<plan::ProposedPattern>& outputs);

// Where else the ledger knows a proven copy of some of these files (same path, size and time) that is still there, the
// one with the most first. `directory` is the pull's own.
Result<std::vector<ElsewhereCopy>> copies_elsewhere(const ledger::Ledger& ledger, std::int64_t run,
                                                    const std::string& directory,
                                                    const std::vector<model::ManifestEntry>& files);

}  // namespace drawhitch::flow
