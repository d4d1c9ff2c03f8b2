#include "core/config/load_settings.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "core/config/shared_sections.hpp"

namespace drawhitch::config {

namespace {

constexpr std::array k_rows{
    SettingRow{"profile", SettingKind::text, "DRAWHITCH_PROFILE", "generic-ssh",
               "profile of a box when nothing tells its platform", true},
    SettingRow{"color", SettingKind::word, "DRAWHITCH_COLOR", "auto", "auto, always or never", false},
    SettingRow{"plain", SettingKind::flag, "DRAWHITCH_PLAIN", "false", "whole lines instead of live bars", false},
    SettingRow{"no_input", SettingKind::flag, "DRAWHITCH_NO_INPUT", "false", "never ask", false},
    SettingRow{"log_file", SettingKind::text, "DRAWHITCH_LOG_FILE", "", "append everything that happens to this file",
               false},
    SettingRow{"timeout_s", SettingKind::integer, "DRAWHITCH_TIMEOUT", "", "give up after this many seconds", false},
    SettingRow{"connection.transport", SettingKind::word, "", "auto", "auto, ssh, openssh or local", true},
    SettingRow{"connection.max_connections", SettingKind::integer, "", "profile",
               "connections to one box at most; profile: what [limits] of its profile says", true},
    SettingRow{"connection.connect_timeout_s", SettingKind::integer, "", "15", "seconds until a connection must stand",
               true},
    SettingRow{"connection.stall_timeout_s", SettingKind::integer, "", "20",
               "seconds without a byte until a connection is given up", true},
    SettingRow{"connection.poll_s", SettingKind::integer, "", "profile",
               "seconds between two polls of a box; profile: what [limits] of its profile says", true},
    SettingRow{"connection.bandwidth", SettingKind::text, "", "none",
               "most that is moved to and from a box, as 20M (bytes a second) or 160mbit", true},
};

void read_all(Reader& root, model::Settings& settings) {
    (void)root.integer("schema", 1, {1, 1});
    settings.profile = root.optional_text("profile");
    if (settings.profile && !is_plain_name(*settings.profile)) {
        root.problem(root.at("profile"), "'profile' is no name of a profile");
    }
    settings.color = root.optional_word<model::Color>("color");
    settings.plain = root.optional_flag("plain");
    settings.no_input = root.optional_flag("no_input");
    settings.log_file = root.optional_text("log_file");
    settings.timeout_s = root.optional_integer("timeout_s", {1, 30 * 86400});
    settings.notify_command = read_notify(root);
    settings.connection = read_connection(root);
    if (root.has("notify")) {
        root.warn(root.at("notify"), "'notify' is understood, but this version does not act on it yet");
    }
}

std::optional<std::string> shown(const std::optional<bool>& flag) {
    if (!flag) return std::nullopt;
    return *flag ? "true" : "false";
}
std::optional<std::string> shown(const std::optional<int>& number) {
    if (!number) return std::nullopt;
    return std::to_string(*number);
}
template <class E>
std::optional<std::string> shown_word(const std::optional<E>& word) {
    if (!word) return std::nullopt;
    return std::string(model::word_of(*word));
}

std::optional<std::string> connection_value(const model::Connection& connection, std::string_view key) {
    if (key == "connection.transport") return shown_word(connection.transport);
    if (key == "connection.max_connections") return shown(connection.max_connections);
    if (key == "connection.connect_timeout_s") return shown(connection.connect_timeout_s);
    if (key == "connection.stall_timeout_s") return shown(connection.stall_timeout_s);
    if (key == "connection.poll_s") return shown(connection.poll_s);
    if (key == "connection.bandwidth") return connection.bandwidth;
    return std::nullopt;
}

}  // namespace

std::span<const SettingRow> setting_rows() {
    return k_rows;
}

const SettingRow* find_setting(std::string_view key) {
    const auto row = std::find_if(k_rows.begin(), k_rows.end(), [&](const SettingRow& r) { return r.key == key; });
    return row == k_rows.end() ? nullptr : row;
}

Loaded<model::Settings> load_settings(std::string_view text, std::string_view file) {
    Log log;
    log.file = file;
    Loaded<model::Settings> loaded;
    const Value document = parse_toml(text, log);
    if (log.problems.empty()) {
        Reader root(document, "", log);
        read_all(root, loaded.value);
        root.finish();
    }
    log.sort();
    loaded.problems = std::move(log.problems);
    loaded.warnings = std::move(log.warnings);
    return loaded;
}

std::optional<std::string> setting_value(const model::Settings& settings, std::string_view key) {
    if (key == "profile") return settings.profile;
    if (key == "color") return shown_word(settings.color);
    if (key == "plain") return shown(settings.plain);
    if (key == "no_input") return shown(settings.no_input);
    if (key == "log_file") return settings.log_file;
    if (key == "timeout_s") return shown(settings.timeout_s);
    return connection_value(settings.connection, key);
}

std::optional<std::string> setting_value(const model::Project& project, std::string_view key) {
    if (key == "profile") {
        return project.profile.empty() ? std::nullopt : std::optional<std::string>(project.profile);
    }
    return connection_value(project.connection, key);
}

}  // namespace drawhitch::config
