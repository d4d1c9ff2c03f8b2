// Overview: what the ledger says about leases without asking any box: cost so far, danger clocks, and what would be
// lost. The gate asks the box as well; nothing here may be taken as its answer.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/model/lease.hpp"
#include "core/model/profile.hpp"
#include "core/model/run.hpp"
#include "flow/kept_copies.hpp"
#include "io/ledger/ledger.hpp"

namespace drawhitch::flow {

// A thing the platform does by itself, as far as it can be told from here.
struct ClockView {
    std::string name{};
    std::string effect{};          // "release", "stop", "wipe", "terminate"
    std::optional<WallTime> at{};  // when; unknown where the platform does not say how long it waits
    bool close{false};             // within the profile's warning time
};

// Why a run's outputs would be lost, in words: "r1 is RUNNING", "r1: 3 of 10 files are not proven".
struct RiskView {
    std::string run{};
    std::string reason{};
};

struct LeaseView {
    model::Lease lease{};
    std::optional<double> spent{};  // in the lease's currency; unknown without a price
    std::vector<ClockView> clocks{};
    std::vector<RiskView> at_risk{};
    std::optional<std::int64_t>
        idle_s{};  // no live run for so long, where that is longer than the profile finds normal
};

// A run whose results the user gave up by name when its lease ended, or later: nobody asks about them again.
Status give_up(ledger::Ledger& ledger, std::int64_t lease, const std::string& run);
Result<bool> was_given_up(const ledger::Ledger& ledger, std::int64_t lease, const std::string& run);

// What the last `down` that was refused found on the box and nothing explained, in words, with the time of that look;
// empty: nothing, or none was refused.
Status note_undeclared(ledger::Ledger& ledger, std::int64_t lease, const std::string& found);
Result<std::string> last_undeclared(const ledger::Ledger& ledger, std::int64_t lease);

// `check`: how closely copies on the laptop are looked at. Those that end with the box, as its profile says, are none.
Result<LeaseView> view_lease(const Op& op, const ledger::Ledger& ledger, const model::Lease& lease,
                             CopyCheck check = CopyCheck::quick);
Result<std::vector<LeaseView>> view_leases(const Op& op, const ledger::Ledger& ledger, ledger::Which which);

// The pure parts.
// Price times time since the lease began. An end that is not proven goes on counting.
std::optional<double> spent_on(const model::Lease& lease, WallTime now);
// The clocks that run now: those that start with the lease, and for a stopped box those that start with the stop.
std::vector<ClockView> running_clocks(const model::Profile& profile, const model::Lease& lease, WallTime now);
// Seconds since anything ran on a rented box, when they are more than the profile's forgotten_warn_h.
std::optional<std::int64_t> idle_for(const model::Profile& profile, const model::Lease& lease,
                                     std::span<const model::Run> runs, WallTime now);
// The gate's rules (docs/gate.md), as far as the ledger alone can tell: a run is at risk unless it has ended and is
// scratch, or has a roster, was listed after its end, and all that the list calls must is in `covered`: copies that
// are still there.
std::optional<RiskView> risk_of(const model::Run& run, const std::optional<ledger::Manifest>& manifest,
                                std::span<const ledger::ProvenFile> covered);

}  // namespace drawhitch::flow
