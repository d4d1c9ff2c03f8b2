#include "core/judge/machine.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"
#include "core/judge/box_path.hpp"

namespace drawhitch::judge {

namespace {

using model::MachineFacts;
using model::PlaceFacts;
using model::Profile;

constexpr std::uint64_t k_gib = 1ULL << 30U;
// A training run's checkpoints are rarely smaller; below the second not even a log is safe.
constexpr std::uint64_t k_little_space = 10 * k_gib;
constexpr std::uint64_t k_no_space = k_gib / 2;
constexpr std::uint64_t k_few_inodes = 20'000;
constexpr std::uint64_t k_no_inodes = 500;
// Make tools and TLS dislike the first, certificates and tokens fail at the second.
constexpr std::int64_t k_skew_odd_s = 5;
constexpr std::int64_t k_skew_bad_s = 300;

std::string number(std::uint64_t value) {
    return std::to_string(value);
}

Finding system_finding(const MachineFacts& machine, const std::vector<std::string>& architectures) {
    const std::string what = machine.os.empty() ? machine.system : machine.os;
    Finding finding{"system", Grade::pass, what + ", " + machine.machine + ", kernel " + machine.kernel, {}};
    if (machine.container) finding.evidence += ", in a container";
    const bool known = std::find(architectures.begin(), architectures.end(), machine.machine) != architectures.end();
    if (machine.system != "Linux" || !known) {
        finding.grade = Grade::fail;
        finding.advice = "the helper runs on Linux on " + join(architectures, " and ") + " only";
    }
    return finding;
}

Finding clock_finding(const MachineFacts& machine, ClockReading clock) {
    if (!machine.now) return {"clock", Grade::not_checked, "the box tells no time", {}};
    // Its reading lies between ours; only what is outside of them, and of the second it is rounded to, is skew.
    std::int64_t skew = 0;
    if (*machine.now < clock.before - 1) skew = *machine.now - clock.before;
    if (*machine.now > clock.after + 1) skew = *machine.now - clock.after;
    const std::int64_t size = skew < 0 ? -skew : skew;
    if (size <= k_skew_odd_s) return {"clock", Grade::pass, "as ours", {}};
    return {"clock", size < k_skew_bad_s ? Grade::info : Grade::warn,
            std::to_string(size) + " s " + (skew < 0 ? "behind" : "ahead of") + " ours",
            size < k_skew_bad_s ? ""
                                : "tokens and certificates may be refused there; ages are taken from its own clock, so "
                                  "drawhitch is not misled"};
}

void add_space(std::vector<Finding>& findings, const PlaceFacts& place) {
    if (place.bytes_free) {
        Finding finding{place.name + ".space",
                        Grade::pass,
                        human_bytes(*place.bytes_free) + " free of " + human_bytes(place.bytes_total.value_or(0)) +
                            " at " + place.path,
                        {}};
        if (*place.bytes_free < k_little_space) finding.grade = Grade::warn;
        if (*place.bytes_free < k_no_space) finding.grade = Grade::fail;
        if (finding.grade != Grade::pass) finding.advice = "make room, or take another place with --data-dir";
        findings.push_back(std::move(finding));
    }
    if (place.inodes_free) {
        Finding finding{
            place.name + ".inodes",
            Grade::pass,
            number(*place.inodes_free) + " of " + number(place.inodes_total.value_or(0)) + " free at " + place.path,
            {}};
        if (*place.inodes_free < k_few_inodes) finding.grade = Grade::warn;
        if (*place.inodes_free < k_no_inodes) finding.grade = Grade::fail;
        if (finding.grade != Grade::pass)
            finding.advice = "many small files fill it: look for caches and unpacked data sets";
        findings.push_back(std::move(finding));
    }
}

bool is_network(std::string_view filesystem) {
    constexpr std::array k_network{"nfs",  "nfs4",   "fuseblk", "fuse",   "cifs", "smb2",
                                   "ceph", "lustre", "gpfs",    "beegfs", "9p",   "v9fs"};
    return std::any_of(k_network.begin(), k_network.end(), [&](std::string_view name) { return filesystem == name; });
}

void add_places(std::vector<Finding>& findings, const MachineFacts& machine, const Profile& profile) {
    const PlaceFacts* data = machine.place("data");
    if (data == nullptr) {
        findings.push_back({"data", Grade::not_checked, "nothing is known of the data directory", {}});
    } else {
        Finding finding{"data", Grade::pass, data->path + (data->exists ? "" : " (to be made)"), {}};
        if (is_network(data->filesystem)) {
            finding.grade = Grade::info;
            finding.evidence += " on " + data->filesystem;
            finding.advice = "training from a network filesystem starves the GPU: copy data to a local disk first";
        }
        if (!data->writable) {
            finding.grade = Grade::fail;
            finding.evidence += " cannot be written by " + machine.user;
            finding.advice = "adopt the box again with --data-dir DIR";
        }
        findings.push_back(std::move(finding));
        add_space(findings, *data);
    }
    if (const PlaceFacts* durable = machine.place("durable");
        durable != nullptr && (!durable->exists || !durable->writable)) {
        findings.push_back({"durable", Grade::warn,
                            durable->path + (durable->exists ? " cannot be written" : " is not there") +
                                ", though profile " + profile.platform.id + " names it",
                            "attach the volume in the provider's console; without it nothing there survives the box"});
    }
    if (const PlaceFacts* secret = machine.place("volatile"); secret != nullptr && !secret->writable) {
        findings.push_back({"volatile", Grade::info, secret->path + " cannot be written",
                            "secrets go to a private directory in the data directory instead"});
    }
}

// What the profile says about one place: what wipes it, and whether the data lie there.
Finding tier_finding(const model::Storage& tier, const std::string& path, bool holds_data) {
    using model::Downtime;
    constexpr std::array<std::pair<Downtime, const char*>, 3> k_events{
        {{Downtime::restart, "restart"}, {Downtime::stop, "stop"}, {Downtime::terminate, "terminate"}}};
    std::vector<std::string> survived;
    std::vector<std::string> wiping;
    for (const auto& [event, word] : k_events)
        (model::survives(tier, event) ? survived : wiping).emplace_back(word);
    std::string text = tier.name + (path.empty() ? ", off the box" : " at " + path) + ": ";
    if (!survived.empty()) text += "survives " + join(survived, ", ");
    if (!wiping.empty()) text += (survived.empty() ? "" : "; ") + ("wiped by " + join(wiping, ", "));
    if (tier.bills_after_destroy) text += "; bills on after the box's end";
    if (holds_data) text += "; your data lie here";
    return {"tier", Grade::pass, text, {}};
}

void add_tiers(std::vector<Finding>& findings, const MachineFacts& machine, const Profile& profile) {
    const auto placed = [&](const model::Storage& tier) {
        return tier.path.starts_with('~') ? machine.home + tier.path.substr(1) : tier.path;
    };
    const PlaceFacts* data = machine.place("data");
    const model::Storage* holder = nullptr;
    for (const model::Storage& tier : profile.storage) {
        const std::string path = placed(tier);
        if (data == nullptr || path.empty() || !is_inside(data->path, path)) continue;
        if (holder == nullptr || is_inside(path, placed(*holder))) holder = &tier;
    }
    for (const model::Storage& tier : profile.storage)
        findings.push_back(tier_finding(tier, placed(tier), &tier == holder));
}

Finding tools_finding(const MachineFacts& machine) {
    std::vector<std::string> missing;
    for (const char* tool : {"find", "awk", "stat"}) {
        if (!machine.has_tool(tool)) missing.emplace_back(tool);
    }
    if (missing.empty()) return {"tools", Grade::pass, "all that watching needs", {}};
    return {"tools", Grade::warn, "missing: " + join(missing, ", "),
            "without them the progress of a run is unknown: install findutils, gawk, coreutils"};
}

Finding detach_finding(const MachineFacts& machine) {
    std::vector<std::string> found;
    // What plan::choose_driver can use: another way to detach helps no run yet.
    for (const char* tool : {"tmux", "setsid", "nohup"}) {
        if (machine.has_tool(tool)) found.emplace_back(tool);
    }
    if (machine.has_tool("setsid") || machine.has_tool("tmux")) {
        return {"detach", Grade::pass, join(found, ", "), {}};
    }
    return {"detach", Grade::warn, found.empty() ? "no way to detach a job" : "only " + join(found, ", "),
            "install util-linux (setsid) or tmux, so that a job surely outlives the connection"};
}

Finding env_finding(const MachineFacts& machine) {
    // Set by every login or shell for itself.
    constexpr std::array k_own{"HOME",  "PATH",     "PWD",  "OLDPWD", "SHLVL", "TERM",   "USER",     "LOGNAME",
                               "SHELL", "HOSTNAME", "MAIL", "_",      "LANG",  "LC_ALL", "LS_COLORS"};
    if (machine.container_env.empty()) {
        return {"env", Grade::not_checked, "the environment of the box's first process cannot be read", {}};
    }
    std::vector<std::string> missing;
    for (const std::string& name : machine.container_env) {
        const bool own = std::any_of(k_own.begin(), k_own.end(), [&](std::string_view mine) { return name == mine; });
        const bool here = std::find(machine.env.begin(), machine.env.end(), name) != machine.env.end();
        if (!own && !here) missing.push_back(name);
    }
    if (missing.empty()) return {"env", Grade::pass, "an SSH session sees what the machine was started with", {}};
    return {"env", machine.container ? Grade::warn : Grade::info,
            "missing over SSH, though the machine was started with them: " + join(missing, ", "),
            "name what a run needs under [env.vars] or [env] pass in drawhitch.toml"};
}

Finding gpu_finding(const MachineFacts& machine) {
    if (!machine.gpus.empty()) return {"gpu", Grade::pass, join(machine.gpus, "; "), {}};
    if (!machine.gpu_trouble.empty()) {
        return {"gpu", Grade::fail, "nvidia-smi says: " + machine.gpu_trouble,
                "reboot the box, or ask the provider for another one"};
    }
    return {"gpu",
            Grade::info,
            machine.has_tool("nvidia-smi") ? "nvidia-smi lists none" : "no nvidia-smi, so no NVIDIA GPU is known",
            {}};
}

}  // namespace

std::string_view name_of(Grade grade) {
    switch (grade) {
        case Grade::pass:
            return "PASS";
        case Grade::info:
            return "INFO";
        case Grade::warn:
            return "WARN";
        case Grade::fail:
            return "FAIL";
        case Grade::not_checked:
            return "NOT-CHECKED";
    }
    return "NOT-CHECKED";
}

std::vector<Finding> judge_machine(const MachineFacts& machine, const Profile& profile, ClockReading clock,
                                   const std::vector<std::string>& helper_architectures) {
    std::vector<Finding> findings{system_finding(machine, helper_architectures), clock_finding(machine, clock)};
    add_places(findings, machine, profile);
    add_tiers(findings, machine, profile);
    findings.push_back(tools_finding(machine));
    findings.push_back(detach_finding(machine));
    findings.push_back(env_finding(machine));
    findings.push_back(gpu_finding(machine));
    return findings;
}

Grade worst(const std::vector<Finding>& findings) {
    const auto weight = [](Grade grade) {
        switch (grade) {
            case Grade::pass:
            case Grade::info:
            case Grade::not_checked:
                return 0;
            case Grade::warn:
                return 1;
            case Grade::fail:
                return 2;
        }
        return 0;
    };
    Grade found = Grade::pass;
    for (const Finding& finding : findings) {
        if (weight(finding.grade) > weight(found)) found = finding.grade;
    }
    return found;
}

}  // namespace drawhitch::judge
