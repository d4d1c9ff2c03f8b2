#include "core/judge/threads.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/text.hpp"

namespace drawhitch::judge {

namespace {

std::string_view base_name(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

// Modules of `python -m`, and the launcher each of them is.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> k_modules{{
    {"torch.distributed.run", "torchrun"},
    {"torch.distributed.launch", "torchrun"},
    {"torch.distributed.elastic", "torchrun"},
    {"accelerate.commands.launch", "accelerate"},
    {"deepspeed.launcher.runner", "deepspeed"},
}};
constexpr std::array<std::string_view, 3> k_programs{"torchrun", "accelerate", "deepspeed"};

// What limits most, and by what name. A quota below one CPU still needs one thread.
std::pair<int, std::string_view> tightest(const model::CpuFacts& cpu) {
    std::pair<int, std::string_view> best{0, ""};
    const auto consider = [&](std::optional<int> limit, std::string_view name) {
        if (limit && (best.first == 0 || *limit < best.first)) best = {*limit, name};
    };
    consider(cpu.affinity ? cpu.affinity : cpu.online, "affinity");
    consider(cpu.cpuset, "cpuset");
    if (cpu.quota && *cpu.quota < 1e6) {
        consider(std::max(1, static_cast<int>(std::floor(*cpu.quota))), "control group quota");
    }
    return best;
}

}  // namespace

std::string_view launcher_of(const std::vector<std::string>& command) {
    if (command.empty()) return {};
    // A line for the shell: what it begins with.
    if (command.size() == 3 && command[0] == "sh" && command[1] == "-c") {
        std::vector<std::string> words;
        for (const std::string_view word : split(command[2], ' '))
            if (!word.empty()) words.emplace_back(word);
        return launcher_of(words);
    }
    const std::string_view program = base_name(command[0]);
    for (std::string_view known : k_programs) {
        if (program == known) return known;
    }
    if (!program.starts_with("python")) return {};
    for (std::size_t i = 1; i + 1 < command.size() && command[i].starts_with("-"); ++i) {
        if (command[i] != "-m") continue;
        for (const auto& [module, launcher] : k_modules) {
            if (command[i + 1] == module) return launcher;
        }
        return {};
    }
    return {};
}

ThreadShare thread_share(const model::CpuFacts& cpu, int runs, int ranks, const std::vector<std::string>& command) {
    if (const std::string_view launcher = launcher_of(command); !launcher.empty()) {
        return {std::nullopt, std::string(launcher) + " sets the number of threads itself"};
    }
    const auto [cpus, limit] = tightest(cpu);
    if (cpus == 0) return {std::nullopt, "the box does not tell how many CPUs may be used"};
    runs = std::max(runs, 1);
    ranks = std::max(ranks, 1);
    std::string why = std::to_string(cpus) + " CPUs (" + std::string(limit) + ")";
    if (runs > 1) why += " / " + std::to_string(runs) + " runs";
    if (ranks > 1) why += " / " + std::to_string(ranks) + " ranks";
    return {std::max(1, cpus / runs / ranks), std::move(why)};
}

}  // namespace drawhitch::judge
