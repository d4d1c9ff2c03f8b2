// What is good and bad about the file system that a lease's root lies on, for our purposes. Pure.
#pragma once

#include <vector>

#include "core/judge/machine.hpp"
#include "core/model/root_facts.hpp"

namespace drawhitch::judge {

// One row for each thing that does not work there, or one that says that all does.
std::vector<Finding> judge_root(const model::RootFacts& facts);

}  // namespace drawhitch::judge
