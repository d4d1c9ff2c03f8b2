// CpuFacts: how much CPU a process of ours may use on a box. Values only.
#pragma once

#include <optional>

namespace drawhitch::model {

struct CpuFacts {
    std::optional<int> online{};    // what nproc says
    std::optional<int> affinity{};  // CPUs this process may run on
    std::optional<int> cpuset{};    // the smallest cpuset along the control group path
    std::optional<double> quota{};  // CPUs' worth of time, the tightest along the path; absent = unlimited
};

}  // namespace drawhitch::model
