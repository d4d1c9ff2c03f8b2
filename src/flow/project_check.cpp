#include "flow/project_check.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/text.hpp"
#include "io/ledger/ledger.hpp"
#include "io/term/prompt.hpp"

namespace drawhitch::flow {

namespace {

constexpr std::string_view k_note = "project.directory";

// Symbolic links on the way must not hide what a directory is.
std::string resolved(const std::string& path) {
    std::error_code failed;
    const auto real = std::filesystem::weakly_canonical(path, failed);
    return failed ? path : real.string();
}

bool holds(const std::string& directory, const std::string& path) {
    if (path.empty() || directory == "/") return !path.empty();
    return path == directory || path.starts_with(directory + "/");
}

std::string there(const ProjectCheck& check, const std::string& own) {
    const std::string line = own.empty() || !check.in_directory ? "" : check.in_directory(own);
    return line.empty() ? "drawhitch help adopt" : line;
}

Error refused(std::string message, const ProjectCheck& check, const std::string& own) {
    return Error{Code::usage, std::move(message) + "; nothing was sent"}.then(there(check, own));
}

// The ledger may lie in the project where a line of its own keeps all of that directory at home.
bool sends_ledger(const Deps& deps, const std::string& here) {
    const std::string state = resolved(deps.laptop.state_dir);
    if (!holds(here, state)) return false;
    if (state == here || here == "/") return true;
    const std::string below = state.substr(here.size() + 1);
    const std::string top = below.substr(0, below.find('/'));
    const auto& exclude = deps.project.values.push.exclude;
    return top != ".drawhitch" && std::find(exclude.begin(), exclude.end(), top + "/") == exclude.end();
}

Status check_place(const Deps& deps, const ProjectCheck& check, const std::string& own) {
    const std::string here = resolved(deps.project.directory);
    const bool has_home = holds(here, resolved(deps.laptop.home));
    if (!has_home && !sends_ledger(deps, here)) return ok();
    return refused(printable(here) + " is no project: it holds " +
                       (has_home ? "your home directory" : "drawhitch's ledger"),
                   check, own == deps.project.directory ? "" : own)
        .because("a project is a directory of its own, with a drawhitch.toml at its top");
}

Status check_landing(const Deps& deps, const model::Lease& lease, const ProjectCheck& check, const std::string& own) {
    const std::string& here = deps.project.directory;
    if (own.empty() || resolved(own) == resolved(here)) return ok();
    return Error{Code::usage, "box " + lease.name + " belongs to the project in " + printable(own) +
                                  ", and its results would land in " + printable(here) + "; nothing was fetched"}
        .because("pull --to DIR fetches into any other directory")
        .then(there(check, own));
}

}  // namespace

Status remember_project(Deps& deps, std::int64_t lease) {
    const std::string& here = deps.project.directory;
    if (here.empty() || here == "/" || here == deps.laptop.home) return ok();
    TRY_ASSIGN(const auto known, deps.ledger.note(lease, k_note));
    return known ? ok() : deps.ledger.set_note(lease, std::string{k_note}, here);
}

Status check_project(const Op& op, Deps& deps, const model::Lease& lease, const ProjectCheck& check) {
    TRY_ASSIGN(const auto known, deps.ledger.note(lease.id, k_note));
    const std::string own = known.value_or("");
    const std::string& here = deps.project.directory;
    if (check.lands_files) return check_landing(deps, lease, check, own);
    if (check.sends_code) TRY(check_place(deps, check, own));
    if (own == here) return ok();
    if (deps.project.file.empty()) {
        if (!check.sends_code) return ok();
        return refused("there is no drawhitch.toml in " + printable(here) + " or above it", check, own)
            .because(own.empty()
                         ? "go to the project's directory; where it has no such file, `drawhitch adopt` makes one"
                         : "box " + lease.name + " belongs to the project in " + printable(own));
    }
    if (own.empty() && deps.project.values.name == lease.project) {
        return deps.dry_run ? ok() : remember_project(deps, lease.id);
    }
    const std::string others = "box " + lease.name + " belongs to project " + printable(lease.project) +
                               (own.empty() ? "" : " in " + printable(own)) + ", and this is project " +
                               printable(deps.project.values.name) + " in " + printable(here);
    if (deps.dry_run) {
        op.warn(others);
        return ok();
    }
    TRY_ASSIGN(const bool agreed,
               deps.prompt.yes_no(op, others + "; use this one there from now on?", there(check, own)));
    if (!agreed) return refused(others, check, own);
    return deps.ledger.set_note(lease.id, std::string{k_note}, here);
}

}  // namespace drawhitch::flow
