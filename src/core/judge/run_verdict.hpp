// What is true about a run, from the facts of one poll and what earlier polls saw. Pure: no clock, no ledger. Progress
// is what the roster and the step counter show; ages are differences of the box's own clock; a poll that saw nothing is
// no evidence of anything.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "core/model/roster.hpp"
#include "core/model/run.hpp"
#include "core/model/run_facts.hpp"
#include "core/model/run_history.hpp"

namespace drawhitch::judge {

using model::RunHistory;

struct RunPolicy {
    std::int64_t attempt{1};
    std::string token{};                     // of our claim, while nothing was seen to start under it; else empty
    model::Roster roster{};                  // in the order of RunFacts::artifacts
    std::chrono::seconds stall_after{1800};  // without a step or an artifact; stretched to three times the longest gap
    std::chrono::seconds start_within{60};
};

struct Judged {
    model::Verdict verdict{};
    RunHistory history{};
};

// `polled` is the laptop's time of the poll; it only turns ages into times for people.
Judged judge_run(const model::PollFacts& poll, const model::RunFacts& run, const RunHistory& history,
                 const RunPolicy& policy, WallTime polled);

// The box did not answer: nothing is known about the run now, and what was proven stays proven. `last` is the last
// recorded verdict, `last_contact` when the box last answered.
model::Verdict judge_unreachable(const model::Verdict& last, std::optional<WallTime> last_contact,
                                 const std::string& error);

// Two laptops may claim one name; the box gave it to the one whose token its records carry. `token` is ours; empty:
// every record is taken for ours.
bool is_foreign(const model::RunFacts& run, const std::string& token);

// Processes of the run that live: verified members of its group or session, and carriers of its token.
std::vector<std::int64_t> living_processes(const model::RunFacts& run);
// Of those, the ones outside of the recorded group.
std::vector<std::int64_t> strays(const model::RunFacts& run);

}  // namespace drawhitch::judge
