// Where a run's results stand: its units against receipts and copies, its code against its release, and which of its
// files are explained thereby. Reads only. Private to flow/down.
#pragma once

#include "core/judge/gate.hpp"
#include "core/judge/tier_map.hpp"
#include "core/judge/undeclared.hpp"
#include "flow/down/roots.hpp"
#include "flow/kept_copies.hpp"
#include "flow/run/poll.hpp"

namespace drawhitch::flow {

// Errors that end the whole look: without a connection, time or a ledger nothing else can be known either.
bool ends_the_look(const Error& error);

class RunStanding {
  public:
    // `scratch` are the profile's patterns. All references outlive this.
    RunStanding(Deps& deps, BoxRoots& roots, const model::Lease& lease, const judge::TierMap& tiers,
                const std::vector<std::string>& scratch)
        : deps_(deps), roots_(roots), lease_(lease), tiers_(tiers), scratch_(scratch), dying_(lease, tiers) {}

    // What the gate asks about one run; explains its files in `why`. What cannot be looked at is told as such; an Error
    // is a lost connection, a cancel or a deadline, or the ledger's.
    Result<judge::GateRun> look(const Op& op, const RunView& view, judge::Explanations& why);

  private:
    struct Seen;
    Status read_proofs(const model::Run& run, const KeptCopies& kept, judge::Proofs& proofs);
    Status units(const Op& op, const model::Run& run, Seen& seen, judge::GateRun& result);
    [[nodiscard]] judge::NoFile no_file(const model::RunSpec& spec, const proto::FileEntry& entry) const;
    Status code(const Op& op, const model::Run& run, judge::GateRun& result);
    Status unchanged_code(const Op& op, const model::Run& run, const Seen& seen, judge::Explanations& why);
    Status proven_files(const Op& op, const model::Run& run, const Seen& seen, judge::Explanations& why);

    Deps& deps_;
    BoxRoots& roots_;
    const model::Lease& lease_;
    const judge::TierMap& tiers_;
    const std::vector<std::string>& scratch_;
    DyingPlaces dying_;
};

}  // namespace drawhitch::flow
