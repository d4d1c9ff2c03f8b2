// How many threads a job's pools may use, so that several jobs on one box, or one job on a slice of a large host, do
// not fight over cores. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/cpu_facts.hpp"

namespace drawhitch::judge {

struct ThreadShare {
    std::optional<int> threads{};  // absent: nothing is exported
    std::string why{};             // "12 CPUs (control group quota) / 2 runs / 4 ranks", or why nothing is exported
};

// `runs` counts the live runs of the box with this one, `ranks` the processes this run starts; both at least 1.
// Launchers that set the variable themselves (torchrun, accelerate, deepspeed) are left alone.
ThreadShare thread_share(const model::CpuFacts& cpu, int runs, int ranks, const std::vector<std::string>& command);

// The launcher a command line starts with ("torchrun"), or empty.
std::string_view launcher_of(const std::vector<std::string>& command);

}  // namespace drawhitch::judge
