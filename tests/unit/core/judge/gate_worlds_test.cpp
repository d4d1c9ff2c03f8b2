// The gate compared with an independent statement of its rules, and what it tells when it is open.
#include "core/judge/gate.hpp"

#include <catch2/catch_test_macros.hpp>
#include <vector>

#include "base/text.hpp"
#include "gate_facts.hpp"

namespace drawhitch::judge {

using model::VerdictKind;

TEST_CASE("a verb that wipes nothing asks only that the runs have ended") {
    GateFacts facts = clear();
    facts.tiers[0].destroyed = facts.tiers[0].scanned = false;
    facts.processes_known = false;
    facts.runs[0].scanned = false;
    facts.runs[0].code = CodeState::unknown;
    facts.undeclared = {group("/x")};
    const Gate gate = judge_gate(facts);
    CHECK(gate.open);
    CHECK(gate.fates[0].fate == Fate::survives);
    facts.runs[0].verdict.kind = VerdictKind::running;
    CHECK(has_reason(judge_gate(facts), "run-live"));
}

TEST_CASE("code that was changed on the box is shown, and then the name must be typed") {
    GateFacts facts = clear();
    facts.runs[0].code = CodeState::different;
    facts.runs[0].code_recorded = std::string(64, 'a');
    facts.runs[0].code_found = std::string(64, 'b');
    const Gate gate = judge_gate(facts);
    CHECK(gate.open);
    CHECK(gate.confirmation == Confirmation::typed_name);
    REQUIRE(gate.remarks.size() == 1);
    CHECK(gate.remarks[0].find("aaaaaaaaaaaa") != std::string::npos);
}

TEST_CASE("what goes on billing is told per day and per month") {
    GateFacts facts = clear();
    facts.price_hour = 2.0;
    facts.tiers.push_back({"volume", "/workspace", false, false, true, 73.0});
    facts.tiers.push_back({"archive", "", false, false, true, {}});
    facts.verb.leaves_billing = {"public address"};
    const Gate gate = judge_gate(facts);
    REQUIRE(gate.billing.size() == 4);
    CHECK(gate.billing[0].per_day == 48.0);
    CHECK(gate.billing[0].per_month == 1460.0);
    CHECK(gate.billing[1].per_month == 73.0);
    CHECK(*gate.billing[1].per_day > 2.39);
    CHECK(*gate.billing[1].per_day < 2.41);
    CHECK_FALSE(gate.billing[2].per_month);
    CHECK(gate.billing[3].what == "public address");
    facts.verb.has_api = true;
    CHECK(judge_gate(facts).billing.size() == 3);
}

// --- All small worlds: an independent statement of the rules, compared over every combination. ---

TEST_CASE("over all small worlds the gate is open exactly when the rules say so") {
    const std::vector<Standing> standings{Standing::received,   Standing::placed,  Standing::survives,
                                          Standing::unproven,   Standing::changed, Standing::unstable,
                                          Standing::incomplete, Standing::broken,  Standing::unknown};
    const std::vector<VerdictKind> verdicts{
        VerdictKind::done,           VerdictKind::failed,      VerdictKind::artifacts_missing, VerdictKind::preempted,
        VerdictKind::lost_at_reboot, VerdictKind::queued,      VerdictKind::starting,          VerdictKind::running,
        VerdictKind::stalled,        VerdictKind::done_but_up, VerdictKind::unreachable,       VerdictKind::unknown};
    const std::vector<Identity> identities{Identity::proven, Identity::not_proven, Identity::unreachable};
    const std::vector<model::RosterClass> classes{model::RosterClass::must, model::RosterClass::nice,
                                                  model::RosterClass::scratch};
    long worlds = 0;
    long opened = 0;
    for (const auto identity : identities)
        for (const auto verdict : verdicts)
            for (const auto standing : standings)
                for (const auto wanted : classes)
                    for (unsigned bits = 0; bits < 512; ++bits) {
                        const bool killed = (bits & 1U) != 0, lost = (bits & 2U) != 0, hidden = (bits & 4U) != 0;
                        const bool process_there = (bits & 8U) != 0, scanned = (bits & 16U) != 0;
                        const bool runs_known = (bits & 32U) != 0, roster = (bits & 64U) != 0;
                        const bool hidden_lost = (bits & 128U) != 0, accepted = (bits & 256U) != 0;
                        GateFacts facts = clear();
                        facts.identity = identity;
                        facts.runs_known = runs_known;
                        GateRun& run = facts.runs[0];
                        run.verdict.kind = verdict;
                        run.has_roster = roster;
                        run.scanned = scanned;
                        run.units = {unit("u", standing, wanted)};
                        if (hidden) facts.undeclared = {group("/root/hidden")};
                        if (process_there) facts.processes = {process(7)};
                        if (killed) facts.waivers.kill_runs = {"r1"};
                        if (lost) facts.waivers.lose = {"/data/runs/r1/work/u"};
                        if (hidden && hidden_lost) facts.waivers.lose.emplace_back("/root/hidden");
                        if (process_there && accepted) facts.waivers.accept = {"process:7"};

                        const bool ended = verdict == VerdictKind::done || verdict == VerdictKind::failed ||
                                           verdict == VerdictKind::artifacts_missing ||
                                           verdict == VerdictKind::preempted || verdict == VerdictKind::lost_at_reboot;
                        const bool covered = standing == Standing::received || standing == Standing::placed ||
                                             standing == Standing::survives;
                        const bool spoken = covered || lost;
                        const bool unit_fine = spoken || wanted != model::RosterClass::must;
                        const bool wanted_open = identity == Identity::proven && runs_known && (ended || killed) &&
                                                 scanned && unit_fine && (roster || lost) && (!hidden || hidden_lost) &&
                                                 (!process_there || accepted);
                        const Gate gate = judge_gate(facts);
                        ++worlds;
                        opened += gate.open ? 1 : 0;
                        if (gate.open != wanted_open) {
                            CAPTURE(bits, static_cast<int>(standing), static_cast<int>(verdict),
                                    static_cast<int>(identity));
                            REQUIRE(gate.open == wanted_open);
                        }
                        const bool unproven = !covered && (lost || wanted == model::RosterClass::nice);
                        const bool typed = unproven || (killed && !ended) || hidden || process_there;
                        if (gate.open && wanted != model::RosterClass::scratch) {
                            const bool asks_name = gate.confirmation == Confirmation::typed_name;
                            if (asks_name != typed) REQUIRE(asks_name == typed);
                        }
                    }
    CHECK(worlds == 3L * 12 * 9 * 3 * 512);
    CHECK(opened > 1000);
}

}  // namespace drawhitch::judge
