// Facts of a gate for tests: a box about to be ended whose gate is open, and what closes it.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "core/judge/gate.hpp"

namespace drawhitch::judge {

inline UnitStanding unit(const std::string& name, Standing standing,
                         model::RosterClass wanted = model::RosterClass::must) {
    return {name, "/data/runs/r1/work/" + name, wanted, 1, 100, standing, {}, {}, false};
}

// A box about to be ended, with one finished run whose results are all proven: the gate is open.
inline GateFacts clear() {
    GateFacts facts{};
    facts.box = "box-3";
    facts.identity = Identity::proven;
    facts.verb = {"terminate", false, true, true, {}};
    facts.tiers = {{"disk", "/", true, true, false, {}}};
    facts.runs_known = true;
    facts.processes_known = true;
    GateRun run{};
    run.name = "r1";
    run.verdict.kind = model::VerdictKind::done;
    run.has_roster = true;
    run.scanned = true;
    run.work_dir = "/data/runs/r1/work";
    run.units = {unit("ckpt/a.pt", Standing::received), unit("log", Standing::received)};
    run.code = CodeState::same;
    facts.runs = {run};
    return facts;
}

inline bool has_reason(const Gate& gate, std::string_view id) {
    return std::ranges::any_of(gate.reasons, [&](const Reason& reason) { return reason.id == id; });
}

inline model::BoxProcess process(std::int64_t pid) {
    return {pid, 1, "python3", "serve.py", "/data", {1700000000, 0}, {}, false, false, {}};
}

inline UndeclaredGroup group(const std::string& directory) {
    return {directory, 3, 4096, {1700000000, 0}, "best.pt", false};
}

}  // namespace drawhitch::judge
