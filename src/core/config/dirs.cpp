#include "core/config/dirs.hpp"

namespace drawhitch::config {

namespace {

std::string absolute_or_empty(const Lookup& environment, const std::string& name) {
    std::string path = environment(name).value_or("");
    if (path.empty() || path.front() != '/') return {};
    while (path.size() > 1 && path.back() == '/')
        path.pop_back();
    return path;
}

Result<std::string> place(const Lookup& environment, const std::string& variable, const std::string& below_home) {
    std::string base = absolute_or_empty(environment, variable);
    if (base.empty()) {
        const std::string home = absolute_or_empty(environment, "HOME");
        if (home.empty()) {
            return Error{Code::config, "neither " + variable + " nor HOME is set to an absolute path"}
                .because("drawhitch must know where to keep its files")
                .then("export HOME=\"$(getent passwd \"$(id -u)\" | cut -d: -f6)\"");
        }
        base = (home == "/" ? "" : home) + below_home;
    }
    return (base == "/" ? "" : base) + "/drawhitch";
}

}  // namespace

Result<Dirs> find_dirs(const Lookup& environment) {
    Dirs dirs;
    dirs.home = absolute_or_empty(environment, "HOME");
    TRY_ASSIGN(dirs.state, place(environment, "XDG_STATE_HOME", "/.local/state"));
    TRY_ASSIGN(dirs.config, place(environment, "XDG_CONFIG_HOME", "/.config"));
    return dirs;
}

}  // namespace drawhitch::config
