#include "core/plan/probe_script.hpp"

#include "core/plan/box_scripts.hpp"
#include "core/plan/roster_scan.hpp"

namespace drawhitch::plan {

std::string probe_script(const ProbeSpec& spec) {
    std::string text = assignment("N", spec.nonce);
    text += assignment("ROOT", spec.root);
    text += assignment("PROC", spec.roots.proc);
    text += assignment("CGROUP", spec.roots.cgroup);
    text += assignment("LOG_CAP", std::to_string(spec.log_cap));
    text += box_probe_sh();
    for (const ProbeRun& run : spec.runs) {
        text += "run " + script_word(run.name) + " " + std::to_string(run.log_from) + "\n";
        for (std::size_t i = 0; i < run.roster.size(); ++i) {
            const RosterScan scan = roster_scan(run.roster[i].pattern);
            text += "artifact " + std::to_string(i) + " " + script_word(scan.start) + " " +
                    script_word(scan.expression) + "\n";
        }
    }
    return text += "finish\n";
}

}  // namespace drawhitch::plan
