// Which profile fits a box by the names of variables found there. Pure: names in, a choice out.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/model/machine.hpp"

namespace drawhitch::judge {

// A profile and the names its match.env has.
struct EnvMatch {
    std::string profile{};
    std::vector<std::string> names{};
};

struct EnvChoice {
    std::string profile{};              // empty: none fits, or several do equally
    std::vector<std::string> found{};   // its names that the box has
    std::vector<std::string> rivals{};  // several fit equally: they
};

// The profile of which most names are set on the box: in an SSH session, or for its first process.
EnvChoice choose_by_env(const model::MachineFacts& machine, std::span<const EnvMatch> profiles);

}  // namespace drawhitch::judge
