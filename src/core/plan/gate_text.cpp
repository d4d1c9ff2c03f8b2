#include "core/plan/gate_text.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.hpp"
#include "core/judge/box_path.hpp"

namespace drawhitch::plan {

namespace {

constexpr std::size_t k_shown_items = 5;
// More names than these are no command that anybody would read before typing it.
constexpr std::size_t k_most_names = 2 * judge::k_named_files;

constexpr std::string_view k_command = "      ";
constexpr std::string_view k_listed = "        ";
constexpr std::string_view k_all_given_up = "  all of this is given up by: ";

using Reasons = std::vector<const judge::Reason*>;

// How several reasons of one kind are told at once: "3 units have no proven copy".
struct Kind {
    std::string_view id{};
    std::string_view one{};
    std::string_view many{};
    std::string_view what{};
};
constexpr std::array<Kind, 13> k_kinds{{
    {"not-pulled", "unit", "units", "have no proven copy"},
    {"mislaid", "unit", "units", "were pulled, and the copies are gone or changed"},
    {"copy-dies", "unit", "units", "were pulled, and the copies lie on the box itself, which dies"},
    {"changed", "unit", "units", "changed since they were pulled"},
    {"unstable", "unit", "units", "are being written, or changed while they were read"},
    {"incomplete", "unit", "units", "are not complete"},
    {"broken", "unit", "units", "were pulled, and their structure is damaged"},
    {"not-looked-at", "unit", "units", "could not be looked at"},
    {"not-pullable", "link", "links", "lead to what is not pulled with the run"},
    {"unreadable", "directory", "directories", "could not be looked into"},
    {"process", "process", "processes", "belong to no run"},
    {"unknown-run", "run", "runs", "are not known to this ledger"},
    {"unknown-run-live", "run", "runs", "are not known to this ledger, and still run"},
}};

std::string items_of(const Reasons& reasons) {
    std::vector<std::string> names;
    for (const judge::Reason* reason : reasons)
        if (names.size() < k_shown_items) names.push_back(printable(reason->item));
    std::string text = join(names, ", ");
    if (reasons.size() > names.size()) text += " and " + std::to_string(reasons.size() - names.size()) + " more";
    return text;
}

std::string told_at_once(const Reasons& reasons) {
    if (reasons.size() == 1) return reasons.front()->text;
    const std::string& id = reasons.front()->id;
    if (id == "undeclared") {
        std::uint64_t files = 0;
        std::uint64_t bytes = 0;
        for (const judge::Reason* reason : reasons) {
            files += reason->files;
            bytes += reason->bytes;
        }
        return counted(files, "file") + ", " + human_bytes(bytes) + " that nothing explains, in " + items_of(reasons);
    }
    const auto* const kind = std::ranges::find(k_kinds, id, &Kind::id);
    if (kind == k_kinds.end()) return {};
    const std::string& run = reasons.front()->run;
    return counted(reasons.size(), kind->one, kind->many) + (run.empty() ? "" : " of run " + printable(run)) + " " +
           std::string{kind->what} + ": " + items_of(reasons);
}

void add_once(std::vector<std::string>& list, std::string word) {
    if (std::ranges::find(list, word) == list.end()) list.push_back(std::move(word));
}

// A command that is nothing but names.
bool only_names(const judge::Gate& gate, const judge::Reason& reason) {
    return !reason.give_up.empty() && reason.next.starts_with(gate.again);
}

// Pulled or waited for: whoever gives that up does it by itself, not in one go with stray files.
bool can_be_had(const judge::Reason& reason) {
    constexpr std::array<std::string_view, 12> k_ids{"not-pulled", "mislaid",       "copy-dies",   "changed",
                                                     "unstable",   "not-looked-at", "run-live",    "run-unknown",
                                                     "no-roster",  "gone",          "unknown-run", "unknown-run-live"};
    return std::ranges::find(k_ids, reason.id) != k_ids.end();
}

// What a command gives up by name.
struct Name {
    std::string flag{};
    std::string word{};
    std::string within{};  // of its reason
};
using Names = std::vector<Name>;

// Each word once.
void take_names(const judge::Reason& reason, Names& names) {
    for (std::size_t at = 0; at + 1 < reason.give_up.size(); at += 2) {
        const std::string& word = reason.give_up[at + 1];
        if (std::ranges::find(names, word, &Name::word) != names.end()) continue;
        names.push_back({reason.give_up[at], word, reason.within});
    }
}

// The deepest directory that holds both, or is one of them; both are absolute.
std::string common_place(const std::string& a, const std::string& b) {
    std::size_t same = 0;
    for (std::size_t at = 0; at <= std::min(a.size(), b.size()); ++at) {
        const bool ends_a = at == a.size() || a[at] == '/';
        const bool ends_b = at == b.size() || b[at] == '/';
        if (ends_a && ends_b) same = at;
        if (at == a.size() || at == b.size() || a[at] != b[at]) break;
    }
    return a.substr(0, same);
}

// As few words as say the same: of what one ended run left behind, the directory that holds all of it.
Names shortest(const Names& names) {
    Names few;
    for (const Name& name : names) {
        const bool may_grow = !name.within.empty() && name.flag == "--lose";
        const auto same = std::ranges::find_if(
            few, [&](const Name& other) { return may_grow && other.flag == name.flag && other.within == name.within; });
        if (same == few.end()) {
            few.push_back(name);
            continue;
        }
        const std::string place = common_place(same->word, name.word);
        if (judge::is_inside(place, name.within)) {
            same->word = place;
        } else {
            few.push_back(name);
        }
    }
    return few;
}

std::string with_names(const judge::Gate& gate, const Names& names) {
    std::string command = gate.again;
    for (const Name& name : names)
        command.append(" ").append(name.flag).append(" ").append(shell_word(name.word));
    return command;
}

// All that could be given up, where nothing of it can be had; empty when there is too much to read, or one reason.
std::string all_names(const judge::Gate& gate) {
    Names names;
    for (const judge::Reason& reason : gate.reasons) {
        if (can_be_had(reason) || reason.give_up.empty()) return {};
        take_names(reason, names);
    }
    names = shortest(names);
    return names.size() > k_most_names ? std::string{} : with_names(gate, names);
}

// Of one run, or of the box and one kind: what is the matter, then what to type.
class Block {
  public:
    Block(const judge::Gate& gate, std::vector<std::string>& lines) : gate_(gate), lines_(lines) {}

    void tell(const Reasons& reasons, bool each_file) {
        const std::string text = told_at_once(reasons);
        if (text.empty()) {
            for (const judge::Reason* reason : reasons)
                tell({reason}, each_file);
            return;
        }
        lines_.push_back("  " + reasons.front()->id + ": " + text);
        for (const judge::Reason* reason : reasons) {
            if (each_file) list(*reason);
            take(*reason);
        }
    }

    void commands() {
        for (const std::string& command : next_)
            lines_.push_back("      " + printable(command));
        for (const std::string& command : instead_)
            lines_.push_back("      or at once: " + printable(command));
        for (const std::string& way : ways_)
            lines_.push_back("      if " + way);
        // Ending a run by itself is said already; with what it left behind it needs both names.
        const bool only_kills = !instead_.empty() && std::ranges::find(names_, "--lose", &Name::flag) == names_.end();
        if (names_.empty() || only_kills) return;
        names_ = shortest(names_);
        // Of very many the first are named; the command keeps its names, so the next look goes on behind them.
        const bool all = names_.size() <= k_most_names;
        if (!all) names_.resize(k_most_names);
        told_ = with_names(gate_, names_);
        const std::string what = all ? "it" : "the first " + std::to_string(k_most_names);
        lines_.push_back((next_.empty() && all ? "      " : "      or give " + what + " up: ") + printable(told_));
    }
    // The command with the names, if there was one.
    [[nodiscard]] const std::string& told() const { return told_; }

  private:
    void list(const judge::Reason& reason) {
        for (const judge::NamedFile& file : reason.listed)
            lines_.push_back("        " + printable(file.path) + "  " + human_bytes(file.size));
        if (!reason.listed.empty() && reason.files > reason.listed.size())
            lines_.push_back("        and " + std::to_string(reason.files - reason.listed.size()) +
                             " more, which the next look names");
    }

    void take(const judge::Reason& reason) {
        // A command that is nothing but the names comes last, with the names of all.
        if (!only_names(gate_, reason)) add_once(next_, reason.next);
        for (const std::string& command : reason.further)
            add_once(next_, command);
        if (!reason.instead.empty()) add_once(instead_, reason.instead);
        for (const judge::Way& way : reason.ways)
            add_once(ways_, way.when + ": " + printable(way.command));
        take_names(reason, names_);
    }

    const judge::Gate& gate_;
    std::vector<std::string>& lines_;
    std::vector<std::string> next_{};
    std::vector<std::string> instead_{};
    std::vector<std::string> ways_{};
    Names names_{};
    std::string told_{};
};

// What a reason is about; no run's name has a slash.
std::string subject_of(const judge::Reason& reason) {
    return reason.run.empty() ? "/" + reason.id : reason.run;
}

// Those of one subject with one id. Directories of the box are told one by one, since each has files of its own to
// decide about.
void tell_alike(const Reasons& of_subject, const std::string& id, Block& block) {
    Reasons reasons;
    for (const judge::Reason* reason : of_subject)
        if (reason->id == id) reasons.push_back(reason);
    if (reasons.front()->run.empty() && id == "undeclared") {
        for (const judge::Reason* reason : reasons)
            block.tell({reason}, true);
    } else {
        block.tell(reasons, reasons.size() == 1);
    }
}

}  // namespace

std::vector<std::string> gate_lines(const judge::Gate& gate) {
    std::vector<std::string> lines;
    std::vector<std::string> subjects;  // runs in order, then each kind of reason about the box
    std::string told;
    for (const judge::Reason& reason : gate.reasons)
        add_once(subjects, subject_of(reason));
    for (const std::string& subject : subjects) {
        Reasons reasons;
        std::vector<std::string> ids;
        for (const judge::Reason& reason : gate.reasons) {
            if (subject_of(reason) != subject) continue;
            reasons.push_back(&reason);
            add_once(ids, reason.id);
        }
        Block block{gate, lines};
        for (const std::string& id : ids)
            tell_alike(reasons, id, block);
        block.commands();
        told = block.told();
    }
    const std::string all = all_names(gate);
    if (subjects.size() > 1 && !all.empty() && all != told)
        lines.push_back(std::string{k_all_given_up} + printable(all));
    return lines;
}

bool is_command(std::string_view line) {
    return (line.starts_with(k_command) && !line.substr(k_command.size()).starts_with(' ')) ||
           line.starts_with(k_all_given_up);
}

bool stays_whole(std::string_view line) {
    return is_command(line) ||
           (line.starts_with(k_listed) && !line.substr(k_listed.size()).starts_with(' ') && line != k_listed);
}

std::vector<std::string> told_names(const judge::Gate& gate) {
    std::vector<std::string> words;
    std::vector<std::string> runs;
    Names all;
    for (const judge::Reason& reason : gate.reasons) {
        add_once(runs, reason.run);
        take_names(reason, all);
    }
    for (const Name& name : all)
        add_once(words, name.word);
    for (const std::string& run : runs) {
        Names names;
        for (const judge::Reason& reason : gate.reasons)
            if (reason.run == run) take_names(reason, names);
        for (const Name& name : shortest(names))
            add_once(words, name.word);
    }
    return words;
}

std::size_t told_reasons(const judge::Gate& gate) {
    const auto lines = gate_lines(gate);
    const auto tells = [&](const std::string& line) {
        return std::ranges::any_of(
            gate.reasons, [&](const judge::Reason& reason) { return line.starts_with("  " + reason.id + ": "); });
    };
    return static_cast<std::size_t>(std::ranges::count_if(lines, tells));
}

std::string gate_next(const judge::Gate& gate) {
    for (const judge::Reason& reason : gate.reasons)
        if (!only_names(gate, reason)) return reason.next;
    std::string all = all_names(gate);
    if (!all.empty()) return all;
    return gate.reasons.empty() ? gate.again : gate.reasons.front().next;
}

}  // namespace drawhitch::plan
