#include "cli/project_file.hpp"

#include "base/text.hpp"
#include "core/proto/digest.hpp"
#include "io/disk/config_file.hpp"
#include "io/ledger/ledger.hpp"

namespace drawhitch::cli {

Result<std::optional<ProjectFile>> find_project_file(const Op& op, const std::string& directory) {
    TRY_ASSIGN(const auto discovery, disk::find_upwards(directory, config::k_project_file_name));
    for (const std::string& ignored : discovery.ignored)
        op.warn(ignored);
    if (!discovery.found) return std::optional<ProjectFile>{};
    ProjectFile file{.path = discovery.found->path};
    const std::size_t slash = file.path.find_last_of('/');
    file.directory = slash == 0 ? "/" : file.path.substr(0, slash);
    auto loaded = config::load_project(discovery.found->text, printable(file.path));
    for (const config::Problem& warning : loaded.warnings)
        op.warn(warning.text());
    auto values = config::checked(std::move(loaded));
    if (!values) return std::move(values).error().then("drawhitch help project-file");
    file.values = std::move(*values);
    file.needing_trust = config::keys_needing_trust(file.values);
    file.pin = proto::sha256(config::trust_text(file.path, file.needing_trust)).hex();
    return std::optional{std::move(file)};
}

Result<bool> is_trusted(const ledger::Ledger& ledger, const ProjectFile& file) {
    if (file.needing_trust.empty()) return true;
    TRY_ASSIGN(const auto pinned, ledger.trusted_hash(file.path));
    return pinned == file.pin;
}

}  // namespace drawhitch::cli
