// Changing one key of config.toml in its text, so that the user's comments and order stay. The edit is simple-minded
// and its result is loaded again: where the file is written in a way the edit does not understand, nothing is changed.
#include <algorithm>

#include "base/text.hpp"
#include "core/config/load_settings.hpp"
#include "core/config/value.hpp"

namespace drawhitch::config {

namespace {

// The byte offset of a line and column; columns count code points.
std::size_t offset_of(std::string_view text, Position at) {
    std::size_t offset = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    for (int line = 1; line < at.line && offset < text.size(); ++line) {
        offset = std::min(text.find('\n', offset), text.size() - 1) + 1;
    }
    for (int column = 1; column < at.column && offset < text.size(); ++column) {
        ++offset;
        while (offset < text.size() && (static_cast<unsigned char>(text[offset]) & 0xC0U) == 0x80U)
            ++offset;
    }
    return offset;
}

const Value* find_member(const Value& table, std::string_view key) {
    const auto at =
        std::find_if(table.members.begin(), table.members.end(), [&](const Value& m) { return m.key == key; });
    return at == table.members.end() ? nullptr : &*at;
}

// A TOML basic string.
std::string toml_string(std::string_view value) {
    std::string text = "\"";
    for (char c : value) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            text += '\\';
            text += c;
        } else if (byte < 0x20 || byte == 0x7F) {
            text += "\\u00" + hex(std::string_view(&c, 1));
        } else {
            text += c;
        }
    }
    return text + "\"";
}

std::string toml_value(SettingKind kind, std::string_view value) {
    return kind == SettingKind::text || kind == SettingKind::word ? toml_string(value) : std::string(value);
}

// Whether the value can be written down for this kind at all; its range is the loader's business.
bool fits(SettingKind kind, std::string_view value) {
    switch (kind) {
        case SettingKind::integer:
            return value.size() < 19 && value.find_first_not_of("0123456789") == std::string_view::npos;
        case SettingKind::flag:
            return value == "true" || value == "false";
        case SettingKind::text:
        case SettingKind::word:
            return is_valid_utf8(value);
    }
    return false;
}

std::string_view wanted_words(SettingKind kind) {
    return kind == SettingKind::integer ? "a whole number" : kind == SettingKind::flag ? "true or false" : "UTF-8 text";
}

std::string without_line(std::string text, const Value& member) {
    const std::size_t begin = offset_of(text, Position{member.key_at.line, 1});
    const std::size_t end = std::min(text.find('\n', offset_of(text, member.end)), text.size() - 1) + 1;
    return text.erase(begin, end - begin);
}

std::string inserted(std::string text, const Value* section, std::string_view section_name, const std::string& line) {
    if (section_name.empty()) return text.insert(text.starts_with("\xEF\xBB\xBF") ? 3 : 0, line);
    if (section != nullptr) {
        const std::size_t header = offset_of(text, section->key_at);
        const std::size_t next = text.find('\n', header);
        if (next == std::string::npos) return text + "\n" + line;
        return text.insert(next + 1, line);
    }
    if (!text.empty() && text.back() != '\n') text += '\n';
    return text + (text.empty() ? "[" : "\n[") + std::string(section_name) + "]\n" + line;
}

Error cannot_edit(std::string_view file, std::string_view key) {
    return Error{Code::config, "cannot change '" + std::string(key) + "' in " + printable(file)}.because(
        "the file is written in a way this command does not understand; change the line with an editor");
}

}  // namespace

Result<std::string> with_setting(std::string_view text, std::string_view file, std::string_view key,
                                 std::string_view value) {
    const SettingRow* row = find_setting(key);
    if (row == nullptr) {
        std::vector<std::string_view> known;
        for (const SettingRow& setting : setting_rows())
            known.push_back(setting.key);
        return Error{Code::usage, "there is no setting '" + printable(key) + "'" + did_you_mean(key, known)};
    }
    if (!value.empty() && !fits(row->kind, value)) {
        return Error{Code::usage, "'" + std::string(key) + "' takes " + std::string(wanted_words(row->kind)) +
                                      ", not '" + printable(value) + "'"};
    }
    TRY(checked(load_settings(text, file)));
    Log log;
    const Value document = parse_toml(text, log);
    const std::size_t dot = key.find('.');
    const std::string_view section_name = dot == std::string_view::npos ? std::string_view{} : key.substr(0, dot);
    const std::string_view name = dot == std::string_view::npos ? key : key.substr(dot + 1);
    const Value* section = section_name.empty() ? nullptr : find_member(document, section_name);
    const Value* member = section_name.empty() ? find_member(document, name)
                          : section == nullptr ? nullptr
                                               : find_member(*section, name);
    std::string edited(text);
    if (value.empty()) {
        if (member != nullptr) edited = without_line(std::move(edited), *member);
    } else if (member != nullptr) {
        const std::size_t begin = offset_of(text, member->at);
        edited.replace(begin, offset_of(text, member->end) - begin, toml_value(row->kind, value));
    } else {
        edited = inserted(std::move(edited), section, section_name,
                          std::string(name) + " = " + toml_value(row->kind, value) + "\n");
    }
    const auto loaded = load_settings(edited, file);
    if (!loaded.ok()) {
        // A file that was fine and is not any more: either the value is no good, or the edit.
        const Problem& first = loaded.problems.front();
        const bool about_value = first.message.find("'" + std::string(key) + "'") != std::string::npos;
        if (about_value) return Error{Code::usage, first.message};
        return cannot_edit(file, key);
    }
    const auto now = setting_value(loaded.value, key);
    if (now.value_or("") != value) return cannot_edit(file, key);
    return edited;
}

}  // namespace drawhitch::config
