#include "cli/suggest.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.hpp"

namespace drawhitch::cli {

namespace {

// Edit distance with swaps of neighbours (optimal string alignment).
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i)
        cost[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j)
        cost[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
            cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + change});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
            }
        }
    }
    return cost[a.size()][b.size()];
}

constexpr std::size_t k_longest_word = 64;  // nobody meant a word this long

constexpr std::array k_habits{
    Habit{"list", "ls"},           Habit{"boxes", "ls"},
    Habit{"machines", "ls"},       Habit{"instances", "ls"},
    Habit{"leases", "lease ls"},   Habit{"info", "show"},
    Habit{"describe", "show"},     Habit{"inspect", "show"},
    Habit{"details", "show"},      Habit{"kill", "stop-run"},
    Habit{"cancel", "stop-run"},   Habit{"abort", "stop-run"},
    Habit{"rm", "down"},           Habit{"remove", "down"},
    Habit{"delete", "down"},       Habit{"del", "down"},
    Habit{"teardown", "down"},     Habit{"shutdown", "down"},
    Habit{"close", "lease close"}, Habit{"end", "down"},
    Habit{"add", "adopt"},         Habit{"register", "adopt"},
    Habit{"import", "adopt"},      Habit{"init", "adopt"},
    Habit{"upload", "push"},       Habit{"sync", "push"},
    Habit{"rsync", "push"},        Habit{"download", "pull"},
    Habit{"get", "pull"},          Habit{"results", "pull"},
    Habit{"copy", "cp"},           Habit{"scp", "cp"},
    Habit{"connect", "ssh"},       Habit{"shell", "ssh"},
    Habit{"login", "ssh"},         Habit{"attach", "logs"},
    Habit{"tail", "logs"},         Habit{"log", "logs"},
    Habit{"output", "logs"},       Habit{"follow", "logs"},
    Habit{"jobs", "ps"},           Habit{"runs", "ps"},
    Habit{"submit", "run"},        Habit{"job", "run"},
    Habit{"train", "run"},         Habit{"monitor", "watch"},
    Habit{"wait", "watch"},        Habit{"check", "verify"},
    Habit{"checksum", "verify"},   Habit{"test", "doctor"},
    Habit{"diagnose", "doctor"},   Habit{"ping", "doctor"},
    Habit{"execute", "exec"},      Habit{"cmd", "exec"},
    Habit{"profiles", "profile"},  Habit{"platforms", "profile"},
    Habit{"settings", "config"},   Habit{"configure", "config"},
    Habit{"allow", "trust"},       Habit{"man", "help"},
    Habit{"usage", "help"},        Habit{"tutorial", "demo"},
    Habit{"example", "demo"},
};

constexpr std::string_view k_rent =
    "rent the box in the provider's console, then adopt it with the ssh line shown there";
constexpr std::string_view k_console = "use the provider's console; adopt the box again if its address changed";
constexpr std::string_view k_run_each = "start each run by itself; runs on one box get separate work trees";
constexpr std::array k_planned{
    Planned{"up", k_rent, "drawhitch help adopt"},
    Planned{"rent", k_rent, "drawhitch help adopt"},
    Planned{"create", k_rent, "drawhitch help adopt"},
    Planned{"offers", k_rent, "drawhitch help adopt"},
    Planned{"preflight", "doctor looks at the connection and the box, but not yet at its GPUs",
            "drawhitch help doctor"},
    Planned{"restart", "stop the run, then start another one under a new name", "drawhitch help run"},
    Planned{"resume", "stop the run, then start another one under a new name", "drawhitch help run"},
    Planned{"stop", "to end a run: stop-run; to give the box back: down; to pause a machine: the provider's console",
            "drawhitch help stop-run"},
    Planned{"pause", k_console, "drawhitch help adopt"},
    Planned{"start", "to start a run: run; to start a machine: the provider's console, then adopt it again",
            "drawhitch help run"},
    Planned{"reboot", k_console, "drawhitch help adopt"},
    Planned{"top", "look at the GPUs with a command on the box", "drawhitch exec -- nvidia-smi"},
    Planned{"plot", "watch shows the steps and metrics that a run writes", "drawhitch help watch"},
    Planned{"cost", "ls shows the price per hour and what was spent", "drawhitch ls"},
    Planned{"tb", "fetch the event files and start TensorBoard here", "drawhitch help pull"},
    Planned{"forward", "use a forwarding of your own ssh program beside it", "drawhitch help ssh"},
    Planned{"probe", "doctor says what it sees on the box; look at its GPUs with a command there",
            "drawhitch exec -- nvidia-smi -q"},
    Planned{"judge", "look at the GPUs' health with a command on the box; ps judges runs, not GPUs",
            "drawhitch exec -- nvidia-smi -q"},
    Planned{"secret", "a run takes variables from this shell; they are not shown and not kept", "drawhitch help run"},
    Planned{"queue", k_run_each, "drawhitch help run"},
    Planned{"guard", "nothing here stops a box by itself: set a limit in the provider's console, and look at ls",
            "drawhitch ls"},
    Planned{"gc", "old releases are pruned by push; what else lies there, down lists before anything is wiped",
            "drawhitch help push"},
    Planned{"reap",
            "see which processes hold GPU memory with a command on the box, and end runs of yours with stop-run",
            "drawhitch exec -- nvidia-smi"},
    Planned{"stage", "copy data from one disk of the box to another with a command there", "drawhitch help exec"},
    Planned{"fetch", "start the download on the box as a run, so that it outlives the connection",
            "drawhitch help run"},
    Planned{"adopt-run", "a job that run did not start is not watched; bring its files here with cp",
            "drawhitch help cp"},
    Planned{"export", "what is known about one lease is written by lease export", "drawhitch help lease export"},
    Planned{"lease import", "a lease can be exported; adopt the box on the other machine", "drawhitch help adopt"},
};

}  // namespace

std::optional<std::string> nearest(std::string_view typed, std::span<const std::string> candidates) {
    if (typed.empty() || typed.size() > k_longest_word) return std::nullopt;
    std::size_t best = std::max<std::size_t>(1, typed.size() / 3) + 1;
    std::optional<std::string> found;
    for (const std::string& candidate : candidates) {
        if (candidate.size() > k_longest_word) continue;
        const std::size_t steps = distance(typed, candidate);
        if (steps < best) {
            best = steps;
            found = candidate;
        }
    }
    if (found || typed.size() < 2) return found;
    const auto begins = std::ranges::find_if(candidates, [&](const std::string& c) { return c.starts_with(typed); });
    return begins == candidates.end() ? std::nullopt : std::optional{*begins};
}

std::span<const Habit> habits() {
    return k_habits;
}

std::span<const Planned> planned() {
    return k_planned;
}

Error unknown_word(std::string_view what, std::string_view typed, std::span<const std::string> candidates) {
    const auto plan = std::ranges::find(k_planned, typed, &Planned::verb);
    if (plan != k_planned.end()) {
        return Error{Code::usage, "the command \"" + std::string{typed} + "\" does not exist yet; nothing was done"}
            .because("today: " + std::string{plan->today})
            .then(std::string{plan->next});
    }
    Error error{Code::usage, std::string{what} + " \"" + printable(typed) + "\""};
    const auto habit = std::ranges::find(k_habits, typed, &Habit::word);
    const auto meant = habit != k_habits.end() ? std::optional{std::string{habit->verb}} : nearest(typed, candidates);
    if (!meant) return std::move(error).then("drawhitch help");
    return std::move(error).because("did you mean " + *meant + "?").then("drawhitch help " + *meant);
}

}  // namespace drawhitch::cli
