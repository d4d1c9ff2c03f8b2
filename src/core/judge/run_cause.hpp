// The cause of death, in the order of proof: exit record, memory counter, signal, disk. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/run_facts.hpp"

namespace drawhitch::judge {

// A short cause ("oom", "killed by TERM", "exit code 1"); facts are appended to `evidence`.
std::string cause_of_exit(const model::ExitRecord& exit, const model::BoxState& box,
                          std::vector<std::string>& evidence);

// For a run whose wrapper died with it, on the same boot.
std::string cause_of_vanishing(const model::StartRecord& start, std::optional<std::int64_t> oom_kills,
                               const model::BoxState& box, std::vector<std::string>& evidence);

// A high load is the whole host's and no cause of anything; it is named so that nobody takes it for one.
void note_host_load(const model::BoxState& box, std::vector<std::string>& evidence);

}  // namespace drawhitch::judge
