#include "core/plan/launch_scripts.hpp"

#include <algorithm>

#include "core/plan/box_scripts.hpp"

namespace drawhitch::plan {

std::string prepare_script(const PrepareSpec& spec) {
    std::string text = assignment("N", spec.nonce);
    text += assignment("ROOT", spec.root);
    text += assignment("NAME", spec.name);
    text += assignment("TOKEN", spec.token);
    text += assignment("RELEASE", spec.release);
    text += assignment("PROC", spec.roots.proc);
    text += assignment("CGROUP", spec.roots.cgroup);
    text += assignment("DEV", spec.roots.dev);
    text += box_prepare_sh();
    text += "check " + script_word(spec.mark) + (spec.marked ? " known\n" : "\n");
    text += "guard " + script_word(spec.share_gpus ? "share" : spec.gpus) + " " + script_word(spec.gpus) + "\nclaim\n";
    for (const std::string& name : spec.persist)
        text += "persist " + script_word(name) + "\n";
    for (const model::Link& link : spec.links)
        text += "link " + script_word(link.name) + " " + script_word(link.target) + "\n";
    text += "settle\n";
    for (const std::string& directory : spec.volatile_dirs)
        text += "volatile " + script_word(directory) + "\n";
    // The box knows its own user's runtime directory; a temporary directory is the last resort.
    text += "volatile \"/run/user/$(id -u)\"\nvolatile \"${TMPDIR:-/tmp}\"\nfacts\n";
    return text;
}

std::vector<std::string> volatile_candidates(const std::string& of_profile) {
    std::vector<std::string> candidates;
    if (!of_profile.empty()) candidates.push_back(of_profile);
    if (of_profile != "/dev/shm") candidates.emplace_back("/dev/shm");
    return candidates;
}

std::string start_script(const StartSpec& spec) {
    std::string text = assignment("N", spec.nonce);
    text += assignment("D", spec.run_dir);
    text += assignment("NAME", spec.name);
    text += assignment("ATTEMPT", std::to_string(spec.attempt));
    text += assignment("ENV_FILE", spec.environment_file);
    text += assignment("DRIVER", spec.driver);
    text += printer("environment_text", spec.environment_text);
    text += printer("run_text", spec.wrapper_text);
    text += printer("record_text", spec.record_text);
    text += printer("gpus_text", spec.gpus);
    text += box_start_sh();
    return text;
}

std::string stop_script(const StopSpec& spec) {
    std::string text = assignment("N", spec.nonce);
    text += assignment("PROC", spec.roots.proc);
    text += assignment("PID", std::to_string(spec.identity.pid));
    text += assignment("TICKS", std::to_string(spec.identity.start_ticks));
    text += assignment("BOOT", spec.identity.boot_id);
    text += assignment("GROUP", std::to_string(spec.identity.pgid));
    text += assignment("TOKEN", spec.token);
    text += assignment("SIGNAL", spec.signal);
    text += assignment("D", spec.run_dir);
    text += assignment("ATTEMPT", std::to_string(spec.attempt));
    text += box_stop_sh();
    switch (spec.kind) {
        case StopKind::group:
            return text += "signal_group\n";
        case StopKind::abandon:
            return text += "abandon\n";
        case StopKind::strays:
            text += "signal_strays";
            for (const std::int64_t pid : spec.strays)
                text += " " + std::to_string(pid);
            return text += "\n";
    }
    return text;
}

std::string log_script(const LogSpec& spec) {
    std::string text = assignment("N", spec.nonce);
    text += assignment("D", spec.run_dir);
    text += assignment("FROM", spec.from ? std::to_string(*spec.from) : "tail");
    text += assignment("CAP", std::to_string(spec.cap));
    return text += box_log_sh();
}

std::string choose_driver(const std::vector<std::string>& preferred, const std::vector<std::string>& available) {
    const auto has = [&](const std::string& name) {
        return std::find(available.begin(), available.end(), name) != available.end();
    };
    for (const std::string& name : preferred) {
        if ((name == "tmux" || name == "setsid" || name == "nohup") && has(name)) return name;
    }
    // The floor of every box, whatever its profile says.
    if (has("setsid")) return "setsid";
    return has("nohup") ? "nohup" : "";
}

}  // namespace drawhitch::plan
