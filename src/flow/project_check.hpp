// Whether the directory a command stands in is the project of a lease. Code and outputs of one project must never land
// where another one's lie only because somebody typed a command in the wrong directory. Sends nothing.
#pragma once

#include <functional>
#include <string>

#include "flow/deps.hpp"

namespace drawhitch::flow {

struct ProjectCheck {
    bool sends_code{true};  // false for `run --no-push`: only a mix-up of two projects counts
    // For `pull`: files are about to land in the project in force. No other directory than the lease's own will do, and
    // nobody is asked: --to says where else.
    bool lands_files{false};
    // The caller's own command in that directory, for `next`; empty where it cannot be typed again.
    std::function<std::string(const std::string& directory)> in_directory{};
};

// Remembers for the lease which directory is its project, unless one is remembered already. A home directory and "/"
// are no projects. Codes of the ledger.
Status remember_project(Deps& deps, std::int64_t lease);

// Code::usage, and nothing was sent: when there is no drawhitch.toml and this is not the lease's own directory; when
// the directory is or holds the home directory or the ledger's; when it is another project than the lease's and the
// user does not want it all the same. Agreed to, this one is remembered from then on. Where files are to land: when the
// lease has a project's directory and this is another.
Status check_project(const Op& op, Deps& deps, const model::Lease& lease, const ProjectCheck& check);

}  // namespace drawhitch::flow
