#include "core/judge/gate_judge.hpp"
#include "core/model/stand_in.hpp"

namespace drawhitch::judge {

namespace {

// A receipt of what is not damaged proves the structure, too; a copy alone does not.
std::vector<model::SavedUnit> received_units(const GateRun& run) {
    std::vector<model::SavedUnit> units;
    for (const UnitStanding& unit : run.units)
        if (unit.standing == Standing::received) units.push_back({unit.name, unit.saved});
    return units;
}

}  // namespace

void Judge::liveness(const GateRun& run, bool killed) {
    if (model::is_terminal(run.verdict.kind)) {
        if (killed) used_.push_back(run.name);
        if (run.killed) gate_.remarks.push_back(words_of(run) + " was killed");
        return;
    }
    const std::string verdict{model::name_of(run.verdict.kind)};
    if (killed) {
        used_.push_back(run.name);
        unproven_dies_ = true;
        gate_.remarks.push_back(words_of(run) + " (" + verdict + ") will be killed");
        return;
    }
    const bool known =
        run.verdict.kind != model::VerdictKind::unknown && run.verdict.kind != model::VerdictKind::unreachable;
    const std::string which = box_of(run) + " " + shell_word(run.name);
    if (run.never_began) {
        close_run(run, "run-unknown", called(run),
                  words_of(run) + " was claimed and never began: its launch was interrupted",
                  "drawhitch stop-run " + which);
    } else if (known) {
        close_run(run, "run-live", called(run), words_of(run) + " has not ended (" + verdict + ")",
                  "drawhitch watch " + which)
            .instead = "drawhitch stop-run " + which;
    } else {
        close_run(run, "run-unknown", called(run),
                  "it is not known whether " + words_of(run) + " has ended (" + verdict + ")",
                  "drawhitch ps " + box_of(run));
    }
    // A run of another lease is ended by the name of its own box.
    if (run.lease.empty()) gate_.reasons.back().give_up = {"--kill-run", run.name};
}

// Rule 4: the recorded code is there, or the difference is shown; what could not be hashed is a finding.
void Judge::code(const GateRun& run) {
    switch (run.code) {
        case CodeState::same:
        case CodeState::none:
            return;
        case CodeState::different:
            gate_.remarks.push_back("the code of " + words_of(run) + " was changed on the box: recorded " +
                                    printable(run.code_recorded.substr(0, 12)) + ", found " +
                                    printable(run.code_found.substr(0, 12)));
            unproven_dies_ = true;
            return;
        case CodeState::unknown:
            find("code-unknown", called(run), "the code of " + words_of(run) + " could not be compared with its record",
                 called(run));
            return;
    }
}

void Judge::must_unit(const GateRun& run, const UnitStanding& unit) {
    const std::string name = printable(called(run)) + ": " + printable(unit.name);
    const std::string culprit =
        unit.culprit.empty() || unit.culprit == unit.name ? "" : " (" + printable(unit.culprit) + ")";
    const std::string pull = "drawhitch pull " + box_of(run) + " " + shell_word(run.name);
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
            if (unit.copy_dies)
                return say("copy-dies",
                           name + culprit + " was pulled to " + printable(unit.place) +
                               (facts_.is_here ? ", and that copy lies on the box itself (this machine), which dies"
                                               : ", and that copy lies on the box itself, which dies"),
                           pull + " --to DIR-ON-ANOTHER-DISK");
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
            return say("broken", name + culprit +
                                     " was pulled, and its structure is damaged: the copy on the box is the bad one" +
                                     model::words_of(model::stand_in({unit.name, unit.saved}, received_units(run))));
        case Standing::unknown:
            if (unit.refused)
                return say("not-looked-at", name + culprit + " may not be read by the login user",
                           "drawhitch exec " + box_of(run) + " -- chmod -R u+rX " + shell_word(unit.path));
            return say("not-looked-at", name + culprit + " could not be looked at", pull);
    }
}

// What the roster names and no pull can bring. A pipe, socket or device holds nothing; a link may lead to what matters.
void Judge::no_files(const GateRun& run) {
    for (const NoFile& entry : run.no_files) {
        const bool of_work = is_inside(entry.path, run.work_dir) && entry.path.size() > run.work_dir.size();
        const std::string item = of_work ? entry.path.substr(run.work_dir.size() + 1) : entry.path;
        const std::string name = printable(called(run)) + ": " + printable(item) + " is a " + entry.kind +
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

// One line for all of a run: nobody has to decide about any of it.
void Judge::scratch_dies(const GateRun& run, const std::vector<const UnitStanding*>& units) {
    constexpr std::size_t k_named = 3;
    if (units.empty()) return;
    std::vector<std::string> names{};
    std::uint64_t files = 0;
    std::uint64_t bytes = 0;
    for (const UnitStanding* unit : units) {
        if (names.size() < k_named) names.push_back(printable(unit->name));
        files += unit->files;
        bytes += unit->bytes;
    }
    const std::string more =
        units.size() > names.size() ? " and " + std::to_string(units.size() - names.size()) + " more" : "";
    fate(Fate::dies_declared, printable(called(run)) + ": " + join(names, ", ") + more + " (" +
                                  files_and_bytes(files, bytes) + "), scratch");
}

// Rule 2: every `must` unit is covered. What covers it, and what else dies, is told.
void Judge::units(const GateRun& run) {
    const bool ends_by_us = run.killed || (!model::is_terminal(run.verdict.kind) && is_to_be_killed(run));
    std::uint64_t proven_files = 0;
    std::uint64_t proven_bytes = 0;
    std::vector<const UnitStanding*> scratch{};
    for (const UnitStanding& unit : run.units) {
        const std::string size = " (" + files_and_bytes(unit.files, unit.bytes) + ")";
        const std::string name = printable(called(run)) + ": " + printable(unit.name);
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
            scratch.push_back(&unit);
        } else if (unit.wanted == model::RosterClass::nice) {
            unproven_dies_ = true;
            fate(Fate::dies_declared, name + size + ", nice to have and not pulled");
        } else {
            must_unit(run, unit);
        }
    }
    scratch_dies(run, scratch);
    if (proven_files > 0)
        fate(Fate::dies_proven,
             printable(called(run)) + ": " + files_and_bytes(proven_files, proven_bytes) + " with a proven copy");
}

// A wiped or unmounted disk takes a run's files with it, and a later push makes the root anew: nothing that is left
// there speaks of the run any more. Only the ledger does.
void Judge::vanished(const GateRun& run) {
    const std::string directory{run_directory(run)};
    if (run.unproven.empty()) {
        needless(directory);
        gate_.remarks.push_back("the directory of " + words_of(run) +
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
        liveness(run, is_to_be_killed(run));
        if (!destroys()) {
            if (!run.unproven.empty()) gate_.remarks.push_back("not pulled: " + printable(run.unproven));
            continue;
        }
        if (run.vanished) {
            vanished(run);
            continue;
        }
        code(run);
        if (!run.scanned && !run.scratch && !lost(run, run.work_dir)) {
            Reason& reason = close_run(
                run, "not-looked-at", run.work_dir, "the files of " + words_of(run) + " could not be looked at",
                "drawhitch exec " + shell_word(facts_.box) + " -- ls -la " + shell_word(run_directory(run)));
            reason.give_up = {"--lose", run.work_dir};
        }
        units(run);
        no_files(run);
        roster(run);
        if (run.left_nothing && !run.scratch) {
            find("no-results", called(run),
                 words_of(run) + " ended well, and nothing is there of what its roster names", called(run));
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
    Reason& reason = close_run(run, "no-roster", called(run),
                               words_of(run) + " was launched without --out, so nothing says what it must leave behind",
                               "drawhitch pull " + box_of(run) + " " + shell_word(run.name) + " --out '**'");
    reason.give_up = {"--lose", run.work_dir};
}

}  // namespace drawhitch::judge
