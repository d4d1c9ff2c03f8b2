// The section "cpu" of templates/box/prepare.sh as facts: control groups version 1 and 2, nested ones, cpusets and
// affinity. Total: what makes no sense is left out.
#pragma once

#include <string_view>

#include "core/model/cpu_facts.hpp"

namespace drawhitch::parse {

model::CpuFacts cpu_facts(std::string_view body);

// How many CPUs a list such as "0-3,8,10-11" names; 0 when it is no such list.
int cpus_in_list(std::string_view list);

}  // namespace drawhitch::parse
