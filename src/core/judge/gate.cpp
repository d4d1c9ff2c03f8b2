#include "core/judge/gate.hpp"

#include "core/judge/gate_judge.hpp"

namespace drawhitch::judge {

namespace {

constexpr double k_hours_day = 24;
constexpr double k_hours_month = 730;  // 365 days / 12

}  // namespace

// Rule 1, first half: the endpoint proves who it is.
void Judge::identity() {
    switch (facts_.identity) {
        case Identity::proven:
            return;
        case Identity::not_proven:
            close("host-identity", facts_.box, "the box that answers does not prove to be " + printable(facts_.box),
                  "drawhitch doctor " + shell_word(facts_.box));
            return;
        case Identity::unreachable:
            close("unreachable", facts_.box, "the box cannot be reached, so nothing about it is known now",
                  "drawhitch doctor " + shell_word(facts_.box));
            gate_.reasons.back().ways.push_back({"it has ended", "drawhitch lease close " + shell_word(facts_.box)});
            if (!facts_.elsewhere.empty())
                gate_.reasons.back().ways.push_back({"it answers at another port or address now", facts_.elsewhere});
            return;
    }
}

void Judge::mark() {
    if (!facts_.mark_missing || !destroys()) return;
    find("no-mark", {},
         "the project's directory does not carry this lease's mark any more: its disk was wiped, swapped or is not "
         "mounted, and what lay there cannot be looked at");
}

void Judge::freshness() {
    if (facts_.age >= std::chrono::seconds{0} && facts_.age <= k_gate_facts_fresh) return;
    close("stale", {}, "what is known is " + human_duration(facts_.age) + " old");
}

void Judge::tiers() {
    for (const GateTier& tier : facts_.tiers) {
        const std::string what =
            "tier " + printable(tier.name) + (tier.path.empty() ? "" : " (" + printable(tier.path) + ")");
        if (!tier.destroyed) {
            fate(Fate::survives, what);
        } else if (!tier.scanned) {
            find("scan-incomplete", tier.name, "not everything on " + what + " could be looked at");
        }
    }
}

// A name that meets nothing is a slip of the pen, and slips must not pass where data dies. Of a box that nobody looked
// at it is not known what a name meets, and one that was at stake once is no slip.
void Judge::names() {
    const auto unused = [this](const std::vector<std::string>& list, std::string_view flag) {
        for (const std::string& name : list) {
            if (holds(used_, name)) continue;
            std::string text{flag};
            if (facts_.identity != Identity::proven) {
                used_.push_back(name);
                continue;
            }
            if (holds(facts_.named_before, name)) {
                used_.push_back(name);
                gate_.remarks.push_back(
                    text.append(" ").append(printable(name)).append(" is not needed any more: it was at stake before"));
                continue;
            }
            close("no-such-name", name,
                  text.append(" ").append(printable(name)).append(" names nothing that is at stake"));
        }
    };
    unused(facts_.waivers.lose, "--lose");
    unused(facts_.waivers.kill_runs, "--kill-run");
    unused(facts_.waivers.accept, "--accept");
}

// Whatever was named and met something stays in the command to type.
void Judge::finish() {
    gate_.again = down();
    const auto keep = [this](const std::vector<std::string>& list, const char* flag) {
        std::vector<std::string> told{};
        for (const std::string& name : list) {
            if (!holds(used_, name) || holds(told, name)) continue;
            told.push_back(name);
            gate_.again.append(" ").append(flag).append(" ").append(shell_word(name));
        }
    };
    keep(facts_.waivers.lose, "--lose");
    keep(facts_.waivers.kill_runs, "--kill-run");
    keep(facts_.waivers.accept, "--accept");
    for (Reason& reason : gate_.reasons) {
        const auto run = std::ranges::find_if(
            facts_.runs, [&](const GateRun& one) { return !reason.run.empty() && called(one) == reason.run; });
        // A live run may make more there than was seen.
        if (run != facts_.runs.end() && model::is_terminal(run->verdict.kind) && !run->killed)
            reason.within = run_directory(*run);
        if (!reason.next.empty()) continue;
        reason.next = gate_.again;
        for (const std::string& word : reason.give_up)
            reason.next.append(" ").append(shell_word(word));
    }
}

void Judge::billing() {
    const auto add = [this](std::string what, std::optional<double> per_day, std::optional<double> per_month) {
        gate_.billing.push_back({std::move(what), per_day, per_month});
    };
    if (facts_.verb.costs && (!facts_.verb.has_api || !facts_.verb.stops_compute)) {
        std::optional<double> day{};
        std::optional<double> month{};
        if (facts_.price_hour) {
            day = *facts_.price_hour * k_hours_day;
            month = *facts_.price_hour * k_hours_month;
        }
        add(facts_.verb.has_api ? "the box itself: this verb does not stop it"
                                : "the box itself, until you end it by hand",
            day, month);
    }
    for (const GateTier& tier : facts_.tiers) {
        if (tier.destroyed || !tier.bills_after) continue;
        std::optional<double> day{};
        if (tier.price_month) day = *tier.price_month / k_hours_month * k_hours_day;
        add("tier " + printable(tier.name), day, tier.price_month);
    }
    for (const std::string& what : facts_.verb.leaves_billing)
        gate_.billing.push_back({printable(what), std::nullopt, std::nullopt, true});
}

std::string rule_of(const EarlierRun& run) {
    return "gone-earlier:" + std::to_string(run.lease) + "/" + run.name;
}

Gate judge_gate(const GateFacts& facts) {
    Gate gate = Judge{facts}.decide();
    gate.remarks.insert(gate.remarks.end(), facts.notes.begin(), facts.notes.end());
    return gate;
}

}  // namespace drawhitch::judge
