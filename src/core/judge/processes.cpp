#include "core/judge/processes.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "core/judge/box_path.hpp"

namespace drawhitch::judge {

namespace {

// Programs that only keep a login or a session going.
constexpr std::array<std::string_view, 22> k_session_programs{
    "sshd",        "sshd-session", "sshd-auth", "sftp-server",  "dropbear",     "systemd",  "(sd-pam)", "dbus-daemon",
    "dbus-broker", "gpg-agent",    "ssh-agent", "tmux: server", "tmux: client", "screen",   "login",    "su",
    "sudo",        "init",         "tini",      "dumb-init",    "docker-init",  "s6-svscan"};
constexpr std::array<std::string_view, 9> k_shells{"sh", "bash", "dash", "zsh", "fish", "csh", "tcsh", "ksh", "ash"};

bool holds(const auto& list, const auto& word) {
    return std::ranges::find(list, word) != list.end();
}

// Our own program on the box is called helper-<build id>, of which the kernel keeps 15 bytes. A job may borrow that
// name, but the file it runs lies elsewhere: ours has the whole name, in a directory of ours.
bool is_helper(const model::BoxProcess& process) {
    constexpr std::string_view k_start = "helper-";
    constexpr std::size_t k_build_digits = 16;
    constexpr std::string_view k_removed = " (deleted)";  // as the kernel says when a newer one took its place
    std::string_view path = process.program;
    if (path.ends_with(k_removed)) path.remove_suffix(k_removed.size());
    if (!path.starts_with('/') || !process.name.starts_with(k_start)) return false;
    const std::string_view file = path.substr(path.rfind('/') + 1);
    const std::string_view above = parent_of(path);
    const std::string_view folder = above.substr(above.rfind('/') + 1);
    return file.starts_with(process.name) && file.size() == k_start.size() + k_build_digits &&
           file.find_first_not_of("0123456789abcdef", k_start.size()) == std::string_view::npos &&
           (folder == "drawhitch" || folder.starts_with("drawhitch-") || folder.starts_with(".drawhitch-helper-"));
}

bool serves_login(const model::BoxProcess& process, std::span<const model::BoxProcess> all) {
    // A laptop that is its own box has the program itself, too.
    if (holds(k_session_programs, process.name) || is_helper(process) || process.name == "drawhitch") return true;
    if (!holds(k_shells, process.name)) return false;
    // A shell without a script waits for a person. One with a command line waits for its children, which are listed
    // themselves; without any, the work is its own.
    if (process.script.empty()) return true;
    return process.script == "-c" &&
           std::ranges::any_of(all, [&](const auto& child) { return child.parent == process.pid && !child.zombie; });
}

// What a machine itself runs: started by init, at home nowhere.
bool serves_machine(const model::BoxProcess& process) {
    constexpr std::array<std::string_view, 15> k_services{
        "(udev-worker)", "cron",    "crond",   "atd",        "agetty",          "rsyslogd",
        "chronyd",       "polkitd", "dockerd", "containerd", "containerd-shim", "unattended-upgr",
        "packagekitd",   "snapd",   "rpcbind"};
    const bool known = holds(k_services, process.name) || process.name.starts_with("systemd-");
    return known && process.parent <= 1 && process.directory == "/";
}

// The nearest tier, by component; empty: none.
std::string_view nearest(std::string_view place, const std::vector<std::string>& tiers) {
    std::string_view best;
    for (const std::string& path : tiers)
        if (is_inside(place, path) && path.size() > best.size()) best = path;
    return best;
}

bool is_on_wiped(std::string_view place, const ProcessPolicy& policy) {
    // On no tier at all is no excuse.
    return !policy.wiped.empty() && nearest(place, policy.wiped).size() >= nearest(place, policy.surviving).size();
}

bool may_work_on_wiped(const model::BoxProcess& process, const ProcessPolicy& policy) {
    if (policy.wiped.empty()) return process.directory.empty();
    // Every daemon sits in /, whatever it writes to; and a process on a volume ends with the machine it runs on. Only
    // where the machine itself lives on a place is an excuse.
    if (process.directory.empty() || process.directory == "/" || is_on_wiped(process.directory, policy)) return true;
    if (nearest(process.directory, policy.surviving) != "/") return true;
    return std::ranges::any_of(process.writes, [&](const std::string& path) { return is_on_wiped(path, policy); });
}

// Programs whose first argument is what they run.
constexpr std::array<std::string_view, 14> k_interpreters{"python",  "pypy",     "perl",       "ruby",   "node",
                                                          "deno",    "php",      "lua",        "java",   "julia",
                                                          "Rscript", "torchrun", "accelerate", "ipython"};

bool runs_its_argument(std::string_view name) {
    if (holds(k_shells, name)) return true;
    return std::ranges::any_of(k_interpreters, [name](std::string_view known) {
        // "python3.11", but not "pythonic".
        return name.starts_with(known) &&
               name.substr(known.size()).find_first_not_of("0123456789.") == std::string_view::npos;
    });
}

}  // namespace

std::string words_for(const model::BoxProcess& process) {
    std::string name = process.name.empty() ? "a program without a name" : printable(process.name);
    if (process.script.empty() || !runs_its_argument(process.name)) return name;
    if (process.script == "-c") return name + " running a command line";
    return name + " running " + printable(process.script);
}

std::vector<model::BoxProcess> unowned(std::span<const model::BoxProcess> all, const ProcessPolicy& policy) {
    std::vector<model::BoxProcess> list{};
    for (const model::BoxProcess& process : all) {
        // Kernel threads: children of kthreadd, which is always 2. In a container 2 is an ordinary process, in /.
        if (process.parent == 2 && process.directory == "/") continue;
        if (process.zombie || process.survey) continue;
        // A run that this ledger does not know may be older than the lease, and is somebody's all the same.
        if (process.token.empty() && process.started < policy.since) continue;
        if (!process.token.empty() && holds(policy.tokens, process.token)) continue;
        if (holds(policy.owned, process.pid)) continue;
        if (serves_login(process, all) || serves_machine(process) || !may_work_on_wiped(process, policy)) continue;
        list.push_back(process);
    }
    std::ranges::sort(list, {}, &model::BoxProcess::pid);
    return list;
}

}  // namespace drawhitch::judge
