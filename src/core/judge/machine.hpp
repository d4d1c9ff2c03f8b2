// What is good and bad about a box for our purposes, from what it says about itself. Pure: rows of findings, each with
// its evidence and what to do; the reader decides.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/machine.hpp"
#include "core/model/profile.hpp"

namespace drawhitch::judge {

enum class Grade { pass, info, warn, fail, not_checked };
std::string_view name_of(Grade grade);  // "PASS" …

struct Finding {
    std::string rule{};  // "clock", "data.space"
    Grade grade{Grade::pass};
    std::string evidence{};  // one line
    std::string advice{};    // what to do; empty when nothing is
};

// Our clock around the moment the box read its own, seconds since 1970.
struct ClockReading {
    std::int64_t before{0};
    std::int64_t after{0};
};

std::vector<Finding> judge_machine(const model::MachineFacts& machine, const model::Profile& profile,
                                   ClockReading clock, const std::vector<std::string>& helper_architectures);

// The worst grade; pass for none.
Grade worst(const std::vector<Finding>& findings);

}  // namespace drawhitch::judge
