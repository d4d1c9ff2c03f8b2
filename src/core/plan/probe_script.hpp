// The script of one poll (templates/box/probe.sh) for the named runs. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/roster.hpp"
#include "core/plan/script_text.hpp"

namespace drawhitch::plan {

struct ProbeRun {
    std::string name{};
    model::Roster roster{};
    std::int64_t log_from{0};  // bytes of the log that are known already
};

struct ProbeSpec {
    std::string nonce{};  // hex, fresh for each call
    std::string root{};
    std::vector<ProbeRun> runs{};
    std::int64_t log_cap{64 << 10};  // the most new log bytes of one run; 0: none
    BoxRoots roots{};
};

std::string probe_script(const ProbeSpec& spec);

}  // namespace drawhitch::plan
