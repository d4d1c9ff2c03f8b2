#include "shells.hpp"

#include <stdexcept>

#include "support/run_program.hpp"

namespace drawhitch::support {

namespace {

std::vector<Shell> make_shells(const TempDir& applets) {
    for (const char* name : {"dash", "bash", "busybox"}) {
        if (run_program({.argv = {"sh", "-c", "command -v \"$1\"", "sh", name}}).code != 0) {
            throw std::runtime_error(std::string(name) + " is not installed: run scripts/setup");
        }
    }
    const Ran made = run_program({.argv = {"busybox", "--install", "-s", applets.path()}});
    if (made.code != 0) throw std::runtime_error("busybox cannot link its applets: " + made.err);
    const std::string usual = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    return {{"dash", {"dash"}, usual, true},
            {"bash", {"bash", "--posix"}, usual, true},
            {"busybox", {applets / "sh"}, applets.path(), false}};
}

}  // namespace

const std::vector<Shell>& shells() {
    static const TempDir applets;
    static const std::vector<Shell> all = make_shells(applets);
    return all;
}

const Shell& shell_named(std::string_view name) {
    for (const Shell& shell : shells()) {
        if (shell.name == name) return shell;
    }
    throw std::runtime_error("no such shell");
}

}  // namespace drawhitch::support
