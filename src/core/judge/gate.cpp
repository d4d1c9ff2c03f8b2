#include "core/judge/gate.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "core/judge/box_path.hpp"
#include "core/judge/processes.hpp"

namespace drawhitch::judge {

namespace {

constexpr double k_hours_day = 24;
constexpr double k_hours_month = 730;  // 365 days / 12

bool holds(const std::vector<std::string>& list, std::string_view word) {
    return std::ranges::find(list, word) != list.end();
}

std::string files_and_bytes(std::uint64_t files, std::uint64_t bytes) {
    return counted(files, "file") + ", " + human_bytes(bytes);
}

// The work directory's parent: the run's log and records lie there.
std::string_view run_directory(const GateRun& run) {
    const std::string_view work = run.work_dir;
    return work.substr(0, work.rfind('/'));
}

// Builds the decision: every rule is one function that looks at its facts and adds reasons, fates and remarks.
class Judge {
  public:
    explicit Judge(const GateFacts& facts) : facts_(facts) {}

    Gate decide() {
        identity();
        mark();
        freshness();
        tiers();
        runs();
        earlier();
        undeclared();
        processes();
        names();
        billing();
        finish();
        gate_.open = gate_.reasons.empty();
        gate_.confirmation = unproven_dies_ ? Confirmation::typed_name : Confirmation::yes_no;
        return std::move(gate_);
    }

  private:
    [[nodiscard]] std::string down() const { return "drawhitch down " + shell_word(facts_.box); }

    // Without a command of its own, a reason is opened by the same command with its names.
    Reason& close(std::string id, std::string subject, std::string text, std::string next = {}) {
        gate_.reasons.push_back({std::move(id), std::move(subject), std::move(text), std::move(next)});
        return gate_.reasons.back();
    }
    Reason& close_run(const GateRun& run, std::string id, std::string subject, std::string text,
                      std::string next = {}) {
        Reason& reason = close(std::move(id), std::move(subject), std::move(text), std::move(next));
        reason.run = run.name;
        return reason;
    }
    // A finding: it closes unless it is accepted by its rule.
    void find(const std::string& id, const std::string& subject, std::string text, const std::string& run = {}) {
        const std::string rule = subject.empty() ? id : id + ":" + subject;
        if (holds(facts_.waivers.accept, rule)) {
            used_.push_back(rule);
            unproven_dies_ = true;
            gate_.remarks.push_back("accepted: " + text);
            return;
        }
        Reason& reason = close(id, subject, std::move(text));
        reason.acceptable = true;
        reason.run = run;
        reason.give_up = {"--accept", rule};
    }
    [[nodiscard]] bool lost(std::string_view path) {
        for (const std::string& name : facts_.waivers.lose) {
            if (path.empty() || !is_inside(path, name)) continue;
            used_.push_back(name);
            unproven_dies_ = true;
            return true;
        }
        return false;
    }
    // What a run must leave behind is given up by a name within the run's own directory. A place above it names too
    // much: who gives up "/root" for a stray file there does not mean the checkpoints.
    [[nodiscard]] bool lost(const GateRun& run, std::string_view path) {
        const std::string_view directory = run_directory(run);
        for (const std::string& name : facts_.waivers.lose) {
            if (path.empty() || !is_inside(path, name) || !is_inside(name, directory)) continue;
            used_.push_back(name);
            unproven_dies_ = true;
            return true;
        }
        return false;
    }
    // A name given for something that is safe anyway does no harm, and is no slip of the pen either.
    void needless(std::string_view path) {
        for (const std::string& name : facts_.waivers.lose)
            if (is_inside(path, name)) used_.push_back(name);
    }
    void fate(Fate fate, std::string what) { gate_.fates.push_back({fate, std::move(what)}); }
    // Anything is at stake only if the verb destroys something.
    [[nodiscard]] bool destroys() const {
        return std::ranges::any_of(facts_.tiers, [](const GateTier& tier) { return tier.destroyed; });
    }

    void identity();
    void mark();
    void freshness();
    void tiers();
    void runs();
    void liveness(const GateRun& run, bool killed);
    void code(const GateRun& run);
    void vanished(const GateRun& run);
    void earlier();
    void units(const GateRun& run);
    void roster(const GateRun& run);
    void must_unit(const GateRun& run, const UnitStanding& unit);
    void undeclared();
    void processes();
    void no_files(const GateRun& run);
    void names();
    void finish();
    void billing();
    [[nodiscard]] bool is_whole(const UndeclaredGroup& group) const;
    [[nodiscard]] std::string saving(const UndeclaredGroup& group, const GateRun* owner) const;
    void undeclared_group(const UndeclaredGroup& group, const GateRun* owner);

    const GateFacts& facts_;
    Gate gate_{};
    std::vector<std::string> used_{};  // waivers that met something
    bool unproven_dies_{false};
};

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

void Judge::liveness(const GateRun& run, bool killed) {
    if (model::is_terminal(run.verdict.kind)) {
        if (killed) used_.push_back(run.name);
        if (run.killed) gate_.remarks.push_back("run " + printable(run.name) + " was killed");
        return;
    }
    const std::string verdict{model::name_of(run.verdict.kind)};
    if (killed) {
        used_.push_back(run.name);
        unproven_dies_ = true;
        gate_.remarks.push_back("run " + printable(run.name) + " (" + verdict + ") will be killed");
        return;
    }
    const bool known =
        run.verdict.kind != model::VerdictKind::unknown && run.verdict.kind != model::VerdictKind::unreachable;
    if (known) {
        const std::string which = shell_word(facts_.box) + " " + shell_word(run.name);
        close_run(run, "run-live", run.name, "run " + printable(run.name) + " has not ended (" + verdict + ")",
                  "drawhitch watch " + which)
            .instead = "drawhitch stop-run " + which;
    } else {
        close_run(run, "run-unknown", run.name,
                  "it is not known whether run " + printable(run.name) + " has ended (" + verdict + ")",
                  "drawhitch ps " + shell_word(facts_.box));
    }
}

// Rule 4: the recorded code is there, or the difference is shown; what could not be hashed is a finding.
void Judge::code(const GateRun& run) {
    switch (run.code) {
        case CodeState::same:
        case CodeState::none:
            return;
        case CodeState::different:
            gate_.remarks.push_back("the code of run " + printable(run.name) + " was changed on the box: recorded " +
                                    printable(run.code_recorded.substr(0, 12)) + ", found " +
                                    printable(run.code_found.substr(0, 12)));
            unproven_dies_ = true;
            return;
        case CodeState::unknown:
            find("code-unknown", run.name,
                 "the code of run " + printable(run.name) + " could not be compared with its record", run.name);
            return;
    }
}

void Judge::must_unit(const GateRun& run, const UnitStanding& unit) {
    const std::string name = printable(run.name) + ": " + printable(unit.name);
    const std::string culprit =
        unit.culprit.empty() || unit.culprit == unit.name ? "" : " (" + printable(unit.culprit) + ")";
    const std::string pull = "drawhitch pull " + shell_word(facts_.box) + " " + shell_word(run.name);
    const auto say = [&](const char* id, const std::string& text, std::string next = {}) {
        Reason& reason = close_run(run, id, unit.path, text, std::move(next));
        reason.item = unit.name;
        reason.give_up = {"--lose", unit.path};
    };
    switch (unit.standing) {
        case Standing::received:
        case Standing::placed:
        case Standing::survives:
            return;
        case Standing::unproven:
            return say("not-pulled", name + culprit + " has no proven copy", pull);
        case Standing::mislaid:
            return say(
                "mislaid",
                name + culprit + " was pulled to " + printable(unit.place) + ", and that copy is gone or changed",
                pull);
        case Standing::changed:
            return say("changed", name + culprit + " changed since it was pulled", pull);
        case Standing::unstable:
            return say("unstable", name + culprit + " is being written, or changed while it was read", pull);
        case Standing::incomplete:
            return say("incomplete", name + " is not complete: " + printable(unit.culprit) + " is missing");
        case Standing::broken:
            return say("broken", name + culprit + " was pulled, and its structure is damaged");
        case Standing::unknown:
            if (unit.refused)
                return say("not-looked-at", name + culprit + " may not be read by the login user",
                           "drawhitch exec " + shell_word(facts_.box) + " -- chmod -R u+rX " + shell_word(unit.path));
            return say("not-looked-at", name + culprit + " could not be looked at", pull);
    }
}

// What the roster names and no pull can bring. A pipe, socket or device holds nothing; a link may lead to what matters.
void Judge::no_files(const GateRun& run) {
    for (const NoFile& entry : run.no_files) {
        const bool of_work = is_inside(entry.path, run.work_dir) && entry.path.size() > run.work_dir.size();
        const std::string item = of_work ? entry.path.substr(run.work_dir.size() + 1) : entry.path;
        const std::string name = printable(run.name) + ": " + printable(item) + " is a " + entry.kind +
                                 (entry.target.empty() ? std::string{} : " to " + printable(entry.target));
        if (!entry.leads_out || run.scratch || entry.wanted != model::RosterClass::must) {
            needless(entry.path);
            gate_.remarks.push_back(name + ": only files are pulled");
        } else if (!lost(run, entry.path)) {
            Reason& reason =
                close_run(run, "not-pullable", entry.path, name + ", and what it leads to is not pulled with the run");
            reason.item = item;
            reason.give_up = {"--lose", entry.path};
        }
    }
}

// Rule 2: every `must` unit is covered. What covers it, and what else dies, is told.
void Judge::units(const GateRun& run) {
    const bool ends_by_us =
        run.killed || (!model::is_terminal(run.verdict.kind) && holds(facts_.waivers.kill_runs, run.name));
    std::uint64_t proven_files = 0;
    std::uint64_t proven_bytes = 0;
    for (const UnitStanding& unit : run.units) {
        const std::string size = " (" + files_and_bytes(unit.files, unit.bytes) + ")";
        const std::string name = printable(run.name) + ": " + printable(unit.name);
        if (is_covered(unit.standing)) needless(unit.path);
        if (unit.standing == Standing::survives) {
            fate(Fate::survives, name + size);
        } else if (is_covered(unit.standing)) {
            proven_files += unit.files;
            proven_bytes += unit.bytes;
        } else if (lost(run, unit.path) || (ends_by_us && unit.record)) {
            unproven_dies_ = true;
            fate(Fate::dies_given_up, name + size);
        } else if (run.scratch || unit.wanted == model::RosterClass::scratch) {
            fate(Fate::dies_declared, name + size + ", scratch");
        } else if (unit.wanted == model::RosterClass::nice) {
            unproven_dies_ = true;
            fate(Fate::dies_declared, name + size + ", nice to have and not pulled");
        } else {
            must_unit(run, unit);
        }
    }
    if (proven_files > 0)
        fate(Fate::dies_proven,
             printable(run.name) + ": " + files_and_bytes(proven_files, proven_bytes) + " with a proven copy");
}

// A wiped or unmounted disk takes a run's files with it, and a later push makes the root anew: nothing that is left
// there speaks of the run any more. Only the ledger does.
void Judge::vanished(const GateRun& run) {
    const std::string directory{run_directory(run)};
    if (run.unproven.empty()) {
        needless(directory);
        gate_.remarks.push_back("the directory of run " + printable(run.name) +
                                " is gone from the box; what it had to leave behind is proven");
    } else if (lost(run, directory)) {
        fate(Fate::dies_given_up, printable(run.unproven) + " (its directory is gone)");
    } else {
        Reason& reason =
            close_run(run, "gone", directory, printable(run.unproven) + ", and its directory is gone from the box",
                      "drawhitch exec " + shell_word(facts_.box) + " -- ls -la " + shell_word(directory));
        reason.give_up = {"--lose", directory};
    }
}

void Judge::earlier() {
    if (!destroys()) return;
    for (const EarlierRun& run : facts_.earlier) {
        const std::string rule = rule_of(run);
        find("gone-earlier", rule.substr(rule.find(':') + 1),
             printable(run.unproven) + ", of lease " + std::to_string(run.lease) +
                 " that was here before, and its directory is gone from the box");
    }
}

void Judge::runs() {
    if (!facts_.runs_known) {
        close("runs-unknown", {}, "not every run of the box could be looked at",
              "drawhitch ps " + shell_word(facts_.box));
    }
    for (const GateRun& run : facts_.runs) {
        liveness(run, holds(facts_.waivers.kill_runs, run.name));
        if (!destroys()) continue;
        if (run.vanished) {
            vanished(run);
            continue;
        }
        code(run);
        if (!run.scanned && !run.scratch && !lost(run, run.work_dir)) {
            Reason& reason =
                close_run(run, "not-looked-at", run.work_dir,
                          "the files of run " + printable(run.name) + " could not be looked at",
                          "drawhitch exec " + shell_word(facts_.box) + " -- ls -la " + shell_word(run_directory(run)));
            reason.give_up = {"--lose", run.work_dir};
        }
        units(run);
        no_files(run);
        roster(run);
        if (run.left_nothing && !run.scratch) {
            find("no-results", run.name,
                 "run " + printable(run.name) + " ended well, and nothing is there of what its roster names", run.name);
        }
    }
}

// A run without a roster never opens the gate: nobody said what matters, so all of it does. It is declared, or given up
// by names within its directory until nothing of it is left open.
void Judge::roster(const GateRun& run) {
    if (run.has_roster || run.scratch) return;
    const auto given_up = [this, &run](std::string_view path) {
        return std::ranges::any_of(facts_.waivers.lose, [&](const auto& name) {
            return is_inside(path, name) && is_inside(name, run_directory(run));
        });
    };
    const bool files_open = std::ranges::any_of(facts_.undeclared, [&](const UndeclaredGroup& group) {
        const bool of_run = is_inside(group.directory, run.work_dir) || is_inside(run.work_dir, group.directory);
        return of_run && !given_up(group.directory);
    });
    const bool units_open = std::ranges::any_of(
        run.units, [&](const UnitStanding& unit) { return !is_covered(unit.standing) && !given_up(unit.path); });
    const bool named = std::ranges::any_of(
        facts_.waivers.lose, [&](const std::string& name) { return is_inside(name, run_directory(run)); });
    if (named && !files_open && !units_open && run.scanned) return;
    if (lost(run, run.work_dir)) return;
    Reason& reason = close_run(
        run, "no-roster", run.name,
        "run " + printable(run.name) + " was launched without --out, so nothing says what it must leave behind",
        "drawhitch pull " + shell_word(facts_.box) + " " + shell_word(run.name) + " --out '**'");
    reason.give_up = {"--lose", run.work_dir};
}

// Whether giving up the directory gives up what the group counts, and no more: nothing else that is unexplained lies
// below it, and it is no place where anything may turn up.
bool Judge::is_whole(const UndeclaredGroup& group) const {
    const std::string& place = group.directory;
    if (place == facts_.home || std::ranges::count(place, '/') < 2) return false;
    if (std::ranges::any_of(facts_.tiers, [&](const GateTier& tier) { return tier.path == place; })) return false;
    return std::ranges::none_of(facts_.undeclared, [&](const UndeclaredGroup& other) {
        return other.directory != place && is_inside(other.directory, place);
    });
}

// What saves the files of a group before anybody gives them up: a pull where some run is known to have made them, else
// a copy under their own path. Empty where one command would take too much.
std::string Judge::saving(const UndeclaredGroup& group, const GateRun* owner) const {
    if (owner != nullptr && is_inside(group.directory, owner->work_dir)) {
        return "drawhitch pull " + shell_word(facts_.box) + " " + shell_word(owner->name) +
               (owner->has_roster ? " --all" : " --out '**'");
    }
    for (const OldRun& run : facts_.old_runs) {
        if (is_inside(group.directory, run.work_dir))
            return "drawhitch pull " + shell_word(run.lease) + " " + shell_word(run.name) + " --all";
    }
    const bool one = group.files == 1 && group.listed.size() == 1;
    if (group.unreadable || (!one && !is_whole(group))) return {};
    const std::string& path = one ? group.listed.front().path : group.directory;
    const std::string_view parent = parent_of(path);
    const std::string to = "pulls/" + facts_.box + "/_box" + std::string{parent} + (parent.ends_with('/') ? "" : "/");
    return "drawhitch cp " + shell_word(facts_.box + ":" + path) + " " + shell_word(to);
}

void Judge::undeclared_group(const UndeclaredGroup& group, const GateRun* owner) {
    const std::string shown = printable(group.directory);
    Reason reason{};
    reason.subject = group.directory;
    reason.item = group.directory;
    reason.files = group.files;
    reason.bytes = group.bytes;
    const bool all_named = !group.unreadable && group.listed.size() == group.files;
    if (all_named || (!group.unreadable && !is_whole(group))) {
        reason.listed = group.listed;
        for (const NamedFile& file : group.listed)
            reason.give_up.insert(reason.give_up.end(), {"--lose", file.path});
    } else {
        reason.give_up = {"--lose", group.directory};
    }
    if (owner != nullptr) reason.run = owner->name;
    if (group.unreadable) {
        reason.id = "unreadable";
        close("unreadable", {}, shown + " could not be looked into");
    } else {
        close("undeclared", {},
              shown + ": " + files_and_bytes(group.files, group.bytes) + " that nothing explains, newest " +
                  printable(group.newest_name) + " of " + rfc3339(group.newest),
              saving(group, owner));
    }
    Reason& made = gate_.reasons.back();
    reason.id = made.id;
    reason.text = made.text;
    reason.next = made.next;
    made = std::move(reason);
}

// Rule 3, first half: nothing undeclared dies unseen.
void Judge::undeclared() {
    if (!destroys()) return;
    for (const UndeclaredGroup& group : facts_.undeclared) {
        const auto owner = std::ranges::find_if(facts_.runs, [&](const GateRun& run) {
            return !run.work_dir.empty() && is_inside(group.directory, run_directory(run));
        });
        const bool owned = owner != facts_.runs.end();
        if (owned ? lost(*owner, group.directory) : lost(group.directory)) {
            fate(Fate::dies_given_up,
                 printable(group.directory) + " (" + files_and_bytes(group.files, group.bytes) + ")");
            continue;
        }
        undeclared_group(group, owned ? &*owner : nullptr);
    }
    for (const GivenUp& given : facts_.given_up) {
        if (given.files == 0) continue;
        used_.push_back(given.path);
        unproven_dies_ = true;
        fate(Fate::dies_given_up, printable(given.path) + " (" + files_and_bytes(given.files, given.bytes) + ")");
    }
}

// Rule 3, second half: no process of ours that no run owns.
void Judge::processes() {
    if (!destroys()) return;
    if (!facts_.processes_known) {
        find("processes-unknown", {}, "the processes on the box could not be listed");
    }
    for (const model::BoxProcess& process : facts_.processes) {
        find("process", std::to_string(process.pid),
             "process " + std::to_string(process.pid) + " (" + words_for(process) + ", in " +
                 (process.directory.empty() ? std::string{"an unknown place"} : printable(process.directory)) +
                 ", since " + rfc3339(process.started) + ") belongs to no run");
        if (!gate_.reasons.empty() && gate_.reasons.back().give_up.size() == 2 &&
            gate_.reasons.back().give_up[1] == "process:" + std::to_string(process.pid))
            gate_.reasons.back().item = std::to_string(process.pid) + " (" + words_for(process) + ")";
    }
}

// A name that meets nothing is a slip of the pen, and slips must not pass where data dies.
void Judge::names() {
    const auto unused = [this](const std::vector<std::string>& list, std::string_view flag) {
        for (const std::string& name : list) {
            if (holds(used_, name)) continue;
            std::string text{flag};
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

}  // namespace

std::string rule_of(const EarlierRun& run) {
    return "gone-earlier:" + std::to_string(run.lease) + "/" + run.name;
}

Gate judge_gate(const GateFacts& facts) {
    return Judge{facts}.decide();
}

}  // namespace drawhitch::judge
