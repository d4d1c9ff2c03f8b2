// Which processes on the box nobody has spoken for: started by us since the lease began, and owned by no run. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "core/model/box_process.hpp"

namespace drawhitch::judge {

// What is at work there, and why it is not asked about, if it is not.
struct ProcessPolicy {
    WallTime since{};                      // when the lease began, by the box's clock
    std::vector<std::string> tokens{};     // of the runs that are known
    std::vector<std::int64_t> owned{};     // pids the probe of the known runs reported (wrappers carry no token)
    std::vector<std::string> wiped{};      // paths of the tiers the verb wipes, absolute
    std::vector<std::string> surviving{};  // paths of the tiers that survive
};

// In order of pid. Left out are processes older than the lease, those that carry the token of a known run, what serves
// logins (sshd and the shells, multiplexers and agents of a login without a program of their own), drawhitch's helper,
// and, where the machine itself survives ("/" does), processes whose working directory and all files they write to lie
// on no wiped tier. A process whose place is unknown, is "/" or lies on a volume stays.
std::vector<model::BoxProcess> unowned(std::span<const model::BoxProcess> all, const ProcessPolicy& policy);

// "python3 running train.py", "bash running a command line", "cc1plus": the argument is told only where the program is
// known to run it.
std::string words_for(const model::BoxProcess& process);

}  // namespace drawhitch::judge
