// drawhitch.toml as it is found, and whether what it asks for was allowed. A file that came with a cloned repository
// may not make drawhitch run anything until the user typed `drawhitch trust`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/op.hpp"
#include "core/config/load_project.hpp"

namespace drawhitch::ledger {
class Ledger;
}

namespace drawhitch::cli {

struct ProjectFile {
    std::string path{};       // absolute
    std::string directory{};  // where it lies
    model::Project values{};  // before trust
    std::vector<config::TrustItem> needing_trust{};
    std::string pin{};  // SHA-256 of the path and these items, 64 hex digits: what the ledger remembers
};

// The nearest one in `directory` or above it; files of other users are passed over with a warning. Code::config with
// every problem of the file, permission, local_io.
Result<std::optional<ProjectFile>> find_project_file(const Op& op, const std::string& directory);

// True when nothing needs trust, or exactly this was trusted.
Result<bool> is_trusted(const ledger::Ledger& ledger, const ProjectFile& file);

}  // namespace drawhitch::cli
