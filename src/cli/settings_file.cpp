#include "cli/settings_file.hpp"

#include "base/text.hpp"
#include "core/config/dirs.hpp"
#include "core/config/load_settings.hpp"
#include "io/disk/config_file.hpp"

namespace drawhitch::cli {

std::optional<std::string> settings_file(const Globals& globals, const Environment& environment,
                                         const std::string& directory) {
    if (globals.config) return globals.config->starts_with('/') ? *globals.config : directory + "/" + *globals.config;
    const auto dirs = config::find_dirs(environment);
    if (!dirs) return std::nullopt;  // the commands that need a place for the ledger say so themselves
    return dirs->config + "/config.toml";
}

Result<model::Settings> read_settings(const Globals& globals, const Environment& environment,
                                      const std::string& directory) {
    const auto path = settings_file(globals, environment, directory);
    if (!path) return model::Settings{};
    TRY_ASSIGN(const auto file, disk::read_user_file(*path));
    if (!file && !globals.config) return model::Settings{};
    if (!file) return Error{Code::config, "there is no file " + printable(*path)}.then("drawhitch config path");
    auto settings = config::checked(config::load_settings(file->text, printable(*path)));
    if (!settings) return std::move(settings).error().then("drawhitch help config");
    return settings;
}

}  // namespace drawhitch::cli
