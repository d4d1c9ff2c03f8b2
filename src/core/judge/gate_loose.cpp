#include "core/judge/gate_judge.hpp"
#include "core/judge/processes.hpp"

namespace drawhitch::judge {

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

namespace {

// Commands for more files than this are not read; the next look names the others.
constexpr std::size_t k_most_copies = 8;

std::string copy_of(const std::string& box, const std::string& path) {
    const std::string_view parent = parent_of(path);
    const std::string to = "pulls/" + box + "/_box" + std::string{parent} + (parent.ends_with('/') ? "" : "/");
    return "drawhitch cp " + shell_word(box + ":" + path) + " " + shell_word(to);
}

}  // namespace

// What saves the files of a group before anybody gives them up: a pull where some run is known to have made them, else
// copies under their own paths, of the whole directory or, where that would take too much, of each file.
std::vector<std::string> Judge::saving(const UndeclaredGroup& group, const GateRun* owner) const {
    if (owner != nullptr && is_inside(group.directory, owner->work_dir)) {
        return {"drawhitch pull " + box_of(*owner) + " " + shell_word(owner->name) +
                (owner->has_roster ? " --all" : " --out '**'")};
    }
    for (const OldRun& run : facts_.old_runs) {
        if (is_inside(group.directory, run.work_dir))
            return {"drawhitch pull " + shell_word(run.lease) + " " + shell_word(run.name) + " --all"};
    }
    if (group.unreadable) return {};
    const bool one = !group.unknown_run && group.files == 1 && group.listed.size() == 1;
    if (!one && is_whole(group)) return {copy_of(facts_.box, group.directory)};
    std::vector<std::string> copies{};
    for (const NamedFile& file : group.listed)
        if (copies.size() < k_most_copies) copies.push_back(copy_of(facts_.box, file.path));
    return copies;
}

// The process of a run that nobody here knows, its oldest: one that writes its log, or carries a run's token and works
// there. Somebody who merely looks around there is none.
const model::BoxProcess* Judge::living_in(const std::string& run) const {
    const std::string log = run + "/log";
    const model::BoxProcess* oldest = nullptr;
    for (const model::BoxProcess& process : facts_.processes) {
        const auto within = [&run](const std::string& path) { return is_inside(path, run); };
        const bool works = within(process.directory) || std::ranges::any_of(process.writes, within);
        if (!holds(process.writes, log) && (process.token.empty() || !works)) continue;
        if (oldest == nullptr || process.started < oldest->started) oldest = &process;
    }
    return oldest;
}

// What moves is not copied as if it were finished: its end is waited for, where it was started.
void Judge::unknown_run(const UndeclaredGroup& group, const std::string& copy, Reason& reason) {
    const std::string what =
        printable(group.directory) + ": a run that this ledger does not know, another laptop's or a lost ledger's";
    const std::string size = files_and_bytes(group.files, group.bytes) + ", newest " + printable(group.newest_name) +
                             " of " + rfc3339(group.newest);
    const model::BoxProcess* const living = living_in(group.directory);
    if (living == nullptr) {
        const std::string unsure = facts_.processes_known ? "" : "; whether it still runs is not known";
        close("unknown-run", {}, what + " (" + size + ")" + unsure, copy);
        return;
    }
    reason.give_up.clear();
    reason.further.clear();
    reason.listed.clear();
    reason.ways = {{"it has ended", down()}};
    close("unknown-run-live", {},
          what + ", which still runs (process " + std::to_string(living->pid) + ", " + words_for(*living) + ", since " +
              rfc3339(living->started) + "; " + size + "): wait for its end, `drawhitch watch` from the laptop that " +
              "started it",
          "drawhitch exec " + shell_word(facts_.box) + " -- tail -n 20 " + shell_word(group.directory + "/log"));
}

void Judge::undeclared_group(const UndeclaredGroup& group, const GateRun* owner) {
    const std::string shown = printable(group.directory);
    Reason reason{};
    reason.subject = group.directory;
    reason.item = group.directory;
    reason.files = group.files;
    reason.bytes = group.bytes;
    const bool all_named = !group.unreadable && !group.unknown_run && group.listed.size() == group.files;
    if (all_named || (!group.unreadable && !is_whole(group))) {
        reason.listed = group.listed;
        for (const NamedFile& file : group.listed)
            reason.give_up.insert(reason.give_up.end(), {"--lose", file.path});
    } else {
        reason.give_up = {"--lose", group.directory};
    }
    if (owner != nullptr) reason.run = called(*owner);
    std::vector<std::string> saves = saving(group, owner);
    const std::string first = saves.empty() ? std::string{} : saves.front();
    if (!saves.empty()) saves.erase(saves.begin());
    reason.further = std::move(saves);
    if (group.unreadable) {
        reason.id = "unreadable";
        close("unreadable", {}, shown + " could not be looked into");
    } else if (group.unknown_run) {
        unknown_run(group, first, reason);
    } else {
        close("undeclared", {},
              shown + ": " + files_and_bytes(group.files, group.bytes) + " that nothing explains, newest " +
                  printable(group.newest_name) + " of " + rfc3339(group.newest),
              first);
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
        // A name above a run does not reach into it; what one inside gave up is not counted here.
        const bool given_up = !group.unknown_run && (owned ? lost(*owner, group.directory) : lost(group.directory));
        if (given_up) {
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
        const std::string whose =
            process.token.empty() ? ") belongs to no run" : ") belongs to a run that no open lease here knows";
        const std::string writes = process.writes.empty() ? "" : ", writing to " + printable(process.writes.front());
        find("process", std::to_string(process.pid),
             "process " + std::to_string(process.pid) + " (" + words_for(process) + ", in " +
                 (process.directory.empty() ? std::string{"an unknown place"} : printable(process.directory)) + writes +
                 ", since " + rfc3339(process.started) + whose);
        if (!gate_.reasons.empty() && gate_.reasons.back().give_up.size() == 2 &&
            gate_.reasons.back().give_up[1] == "process:" + std::to_string(process.pid))
            gate_.reasons.back().item = std::to_string(process.pid) + " (" + words_for(process) + ")";
    }
}

}  // namespace drawhitch::judge
