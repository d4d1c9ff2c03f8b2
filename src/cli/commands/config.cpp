// config path, config get, config set.
#include "base/text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/context.hpp"
#include "cli/parsed.hpp"
#include "cli/project_file.hpp"
#include "cli/settings_file.hpp"
#include "core/config/dirs.hpp"
#include "core/config/load_settings.hpp"
#include "io/disk/config_file.hpp"
#include "io/disk/write_atomic.hpp"
#include "io/term/output.hpp"

namespace drawhitch::cli {

namespace {

using term::Cell;
using term::Json;

std::string parent_of(const std::string& path) {
    const std::size_t slash = path.find_last_of('/');
    return slash == std::string::npos || slash == 0 ? "/" : path.substr(0, slash);
}

Result<std::string> settings_path(const Context& context) {
    const auto path = settings_file(context.globals, context.environment, context.directory);
    if (path) return *path;
    TRY_ASSIGN(const config::Dirs dirs, config::find_dirs(context.environment));  // says what is missing
    return dirs.config + "/config.toml";
}

// --- path ---

struct Place {
    std::string_view key{};
    std::optional<std::string> path{};
};

Result<std::vector<Place>> places(const Context& context) {
    TRY_ASSIGN(const config::Dirs dirs, config::find_dirs(context.environment));
    TRY_ASSIGN(std::string settings, settings_path(context));
    std::vector<Place> all{{"config", std::move(settings)},
                           {"profiles", dirs.config + "/profiles"},
                           {"ledger", dirs.state + "/ledger.db"},
                           {"project", std::nullopt}};
    TRY_ASSIGN(auto discovery, disk::find_upwards(context.directory, config::k_project_file_name));
    if (discovery.found) all.back().path = std::move(discovery.found->path);
    return all;
}

Result<Outcome> run_config_path(Context& context, const Parsed& parsed) {
    TRY_ASSIGN(const auto all, places(context));
    const std::string wanted = parsed.arguments().one("WHAT").value_or("config");
    for (const Place& place : all) {
        context.out.json(place.key, place.path ? Json::name(*place.path) : Json{});
        if (place.key != wanted) continue;
        if (!place.path) {
            return Error{Code::not_found,
                         "there is no drawhitch.toml in " + printable(context.directory) + " or above it"}
                .then("drawhitch help config");
        }
        context.out.raw(*place.path + "\n");
    }
    return Outcome{};
}

// --- get ---

struct Found {
    std::string value{};
    std::string source{};
};

// The layers of `help config`, for one key.
struct Layers {
    model::Settings settings{};
    std::string settings_file{};
    std::optional<ProjectFile> project{};
};

Result<Layers> read_layers(Context& context) {
    Layers layers;
    TRY_ASSIGN(layers.settings_file, settings_path(context));
    TRY_ASSIGN(layers.settings, read_settings(context.globals, context.environment, context.directory));
    if (!context.directory.empty()) {
        TRY_ASSIGN(layers.project, find_project_file(context.op, context.directory));
    }
    return layers;
}

Found look_up(const Context& context, const Layers& layers, const config::SettingRow& row) {
    if (!row.variable.empty()) {
        const std::string variable{row.variable};
        const auto value = context.environment(variable);
        if (value && !value->empty()) return {*value, variable};
    }
    if (row.in_project && layers.project) {
        if (auto value = config::setting_value(layers.project->values, row.key)) return {*value, layers.project->path};
    }
    if (auto value = config::setting_value(layers.settings, row.key)) return {*value, layers.settings_file};
    return {std::string{row.builtin}, "built in"};
}

// The value as what it is: a flag, a number, or text ("profile" stands where a profile decides).
Json typed(const config::SettingRow& row, const std::string& value) {
    if (value.empty()) return Json{};
    if (row.kind == config::SettingKind::flag) {
        for (const std::string_view yes : {"1", "yes", "on", "true"})
            if (value == yes) return Json{true};
        return Json{false};
    }
    const bool digits = value.size() <= 18 && value.find_first_not_of("0123456789") == std::string::npos;
    if (row.kind == config::SettingKind::integer && digits) return Json{std::int64_t{std::stoll(value)}};
    return Json{value};
}

Cell typed_cell(const config::SettingRow& row, const std::string& value) {
    Cell cell = Cell::text(value);
    cell.json = typed(row, value);
    return cell;
}

Error unknown_key(const std::string& key) {
    std::vector<std::string_view> keys;
    for (const config::SettingRow& row : config::setting_rows())
        keys.push_back(row.key);
    return Error{Code::usage, "there is no setting \"" + printable(key) + "\"" + config::did_you_mean(key, keys)}.then(
        "drawhitch config get");
}

Result<Outcome> get_all(Context& context, const Layers& layers) {
    term::RowWriter rows = context.out.rows("settings", {{.key = "key", .title = "KEY"},
                                                         {.key = "value", .title = "VALUE"},
                                                         {.key = "source", .title = "FROM"},
                                                         {.key = "help", .title = "MEANING"}});
    for (const config::SettingRow& row : config::setting_rows()) {
        const Found found = look_up(context, layers, row);
        rows.add({Cell::text(row.key), typed_cell(row, found.value), Cell::name(found.source), Cell::text(row.help)});
    }
    return Outcome{};
}

Result<Outcome> run_config_get(Context& context, const Parsed& parsed) {
    TRY_ASSIGN(const Layers layers, read_layers(context));
    const auto key = parsed.arguments().one("KEY");
    if (!key) return get_all(context, layers);
    const config::SettingRow* row = config::find_setting(*key);
    if (row == nullptr) return unknown_key(*key);
    const Found found = look_up(context, layers, *row);
    context.out.text(printable(found.value));
    context.out.json("key", row->key);
    context.out.json("value", typed(*row, found.value));
    context.out.json("source", Json::name(found.source));
    return Outcome{};
}

// --- set ---

Result<Outcome> run_config_set(Context& context, const Parsed& parsed) {
    const std::string key = parsed.arguments().one("KEY").value_or("");
    const std::string value = parsed.arguments().one("VALUE").value_or("");
    if (config::find_setting(key) == nullptr) return unknown_key(key);
    TRY_ASSIGN(const std::string path, settings_path(context));
    TRY_ASSIGN(const auto file, disk::read_user_file(path));
    auto text = config::with_setting(file ? file->text : std::string{}, printable(path), key, value);
    if (!text) return std::move(text).error().then("drawhitch help config");
    context.out.json("file", Json::name(path));
    context.out.json("key", key);
    context.out.json("value", value.empty() ? Json{} : Json{value});
    if (!context.globals.dry_run) {
        const auto write = [&]() -> Status {
            TRY(disk::make_directories(parent_of(path)));
            return disk::write_atomic(path, *text, 0600);
        };
        if (Status written = write(); !written) {
            Error error = std::move(written).error();
            if (error.next.empty()) error.next = "ls -ld " + shell_quote(parent_of(path));
            return error;
        }
    }
    const config::SettingRow& row = *config::find_setting(key);
    const std::string variable{row.variable};
    if (!variable.empty() && context.environment(variable)) {
        context.op.warn("the variable " + variable + " is set and stands above this file");
    }
    return Outcome{};
}

}  // namespace

CommandRow config_path_command() {
    return CommandRow{
        .verb = "config path",
        .group = Group::manage,
        .summary = "print where configuration and state lie",
        .description = "With --json all places at once. The file need not exist.",
        .positionals = {{.name = "WHAT",
                         .help = "config (the default), profiles, ledger or project",
                         .arity = Arity::optional,
                         .choices = "config|profiles|ledger|project"}},
        .examples = {{"$EDITOR \"$(drawhitch config path)\"", "edit your settings"}},
        .stands_alone = true,
        .handler = run_config_path,
    };
}

CommandRow config_get_command() {
    return CommandRow{
        .verb = "config get",
        .group = Group::manage,
        .summary = "print settings, and where each comes from",
        .description =
            "The value \"profile\" says that the box's profile decides, in its [limits]. With --json flags are\n"
            "true or false, numbers numbers, and what is not set null.",
        .positionals = {{.name = "KEY", .help = "one setting; without it all", .arity = Arity::optional}},
        .examples = {{"drawhitch config get", "every setting, its value and its source"},
                     {"drawhitch config get connection.poll_s", "one value, for a script"}},
        .stands_alone = true,
        .handler = run_config_get,
    };
}

CommandRow config_set_command() {
    return CommandRow{
        .verb = "config set",
        .group = Group::manage,
        .summary = "change one setting of config.toml",
        .description = "Comments and the order of the file stay. An empty VALUE removes the setting.",
        .positionals = {{.name = "KEY", .help = "a name from config get"}, {.name = "VALUE", .help = "its new value"}},
        .examples = {{"drawhitch config set color never", "no colour from now on"},
                     {"drawhitch config set color ''", "back to what is built in"}},
        .stands_alone = true,
        .handler = run_config_set,
    };
}

}  // namespace drawhitch::cli
