// The user's own defaults, config.toml: loading, and the rows `drawhitch config get/set` work on.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/config/problem.hpp"
#include "core/model/project.hpp"

namespace drawhitch::config {

Loaded<model::Settings> load_settings(std::string_view text, std::string_view file);

enum class SettingKind { text, integer, flag, word };

// One key of config.toml that holds a single value.
struct SettingRow {
    std::string_view key{};  // dotted, "connection.poll_s"
    SettingKind kind{SettingKind::text};
    std::string_view variable{};  // the environment variable above it, "" = none
    std::string_view builtin{};   // what holds when nobody sets it, in words where it is no plain value
    std::string_view help{};
    bool in_project{false};  // drawhitch.toml may set it, too
};
std::span<const SettingRow> setting_rows();
const SettingRow* find_setting(std::string_view key);

// The value a file gives a key, as text; nothing when it does not. For project files ask with the project's values.
std::optional<std::string> setting_value(const model::Settings& settings, std::string_view key);
std::optional<std::string> setting_value(const model::Project& project, std::string_view key);

// The file's text with `key` set to `value` ("" = removed), everything else kept as it was, comments included.
// Code::usage for an unknown key or a value the key cannot take; Code::config when `text` is wrong already.
Result<std::string> with_setting(std::string_view text, std::string_view file, std::string_view key,
                                 std::string_view value);

}  // namespace drawhitch::config
