#include "core/judge/run_cause.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/text.hpp"

namespace drawhitch::judge {

namespace {

constexpr int k_gave_up = 125;  // of templates/box/run.sh and stop.sh
constexpr double k_load_worth_a_word = 32;
constexpr std::uint64_t k_full_bytes = 1U << 20U;  // less than this left: a checkpoint cannot have been written

// How many processes of the control group the kernel killed for memory while the run lived.
std::optional<std::int64_t> killed_for_memory(std::optional<std::int64_t> before, std::optional<std::int64_t> after,
                                              std::vector<std::string>& evidence) {
    if (!before || !after) {
        evidence.push_back("no memory-kill counter could be read");
        return std::nullopt;
    }
    evidence.push_back(*before == *after ? "memory-kill counter unchanged (" + std::to_string(*after) + ")"
                                         : "memory-kill counter went from " + std::to_string(*before) + " to " +
                                               std::to_string(*after));
    return std::max<std::int64_t>(0, *after - *before);
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> k_stages{{
    {"work", "the work tree could not be entered"},
    {"environment", "the environment file was gone"},
    {"activate", "the activation line failed"},
    {"record", "the start could not be recorded"},
    {"stopped", "it never began; its launch was given up"},
}};

std::string_view stage_cause(std::string_view stage) {
    for (const auto& [name, cause] : k_stages) {
        if (stage == name) return cause;
    }
    return {};
}

bool note_full_disk(const model::BoxState& box, std::vector<std::string>& evidence) {
    if (box.inodes_free && *box.inodes_free == 0) {
        evidence.push_back("no inodes are left on the project's disk");
        return true;
    }
    if (box.bytes_free && *box.bytes_free < k_full_bytes) {
        evidence.push_back("the project's disk is full (" + human_bytes(*box.bytes_free) + " left)");
        return true;
    }
    return false;
}

std::string signal_cause(const model::ExitRecord& exit, std::vector<std::string>& evidence) {
    const bool meant_all = std::find(exit.caught.begin(), exit.caught.end(), exit.signal) != exit.caught.end();
    if (meant_all) {
        evidence.push_back("the wrapper received " + exit.signal +
                           ", too: it was sent to the whole session, as at a shutdown, logout or preemption");
    }
    if (exit.signal == "HUP") return "hangup";
    return "killed by " + exit.signal;
}

}  // namespace

std::string cause_of_exit(const model::ExitRecord& exit, const model::BoxState& box,
                          std::vector<std::string>& evidence) {
    evidence.push_back(exit.code ? "exit record: code " + std::to_string(*exit.code)
                                 : "exit record: signal " + exit.signal);
    if (!exit.sure) evidence.push_back("the box's shell could not tell a signal from an exit code above 128");
    // Whatever gave up before the job ended with this code.
    const bool gave_up = exit.code == k_gave_up;
    if (const auto cause = stage_cause(exit.stage); gave_up && !cause.empty()) return std::string(cause);
    const auto killed = killed_for_memory(exit.oom_before, exit.oom_after, evidence);
    if (killed.value_or(0) > 0) {
        return exit.signal == "KILL" || exit.code == 137 ? "oom" : "oom in a process of the run";
    }
    note_host_load(box, evidence);
    if (!exit.signal.empty()) return signal_cause(exit, evidence);
    if (note_full_disk(box, evidence)) return "disk full";
    if ((exit.code == 126 || exit.code == 127) && exit.script == "cr") {
        evidence.emplace_back(
            "the first line of a script that the command names ends in a carriage return, so its interpreter is not "
            "found: `drawhitch push --fix-eol` or `[push] fix_eol = true` repairs what is pushed");
        return "the script's interpreter ends in a carriage return";
    }
    if (exit.code == 127) return "command not found";
    if (exit.code == 126) return "command could not be executed";
    if (exit.code == 0) return "its record says code 0, of no job that it knows";
    return "exit code " + std::to_string(exit.code.value_or(0));
}

std::string cause_of_vanishing(const model::StartRecord& start, std::optional<std::int64_t> oom_kills,
                               const model::BoxState& box, std::vector<std::string>& evidence) {
    const auto killed = killed_for_memory(start.oom_kills, oom_kills, evidence);
    note_host_load(box, evidence);
    if (killed.value_or(0) > 0) return "oom";
    if (note_full_disk(box, evidence)) return "disk full";
    return "killed together with its wrapper, by an unknown hand";
}

void note_host_load(const model::BoxState& box, std::vector<std::string>& evidence) {
    if (!box.load || *box.load < k_load_worth_a_word) return;
    evidence.push_back("load " + std::to_string(static_cast<std::int64_t>(*box.load)) +
                       " is the whole host's, not this run's");
}

}  // namespace drawhitch::judge
