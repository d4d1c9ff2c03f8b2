#include "core/plan/manifest.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "base/text.hpp"
#include "core/proto/digest.hpp"
#include "core/proto/path.hpp"

namespace drawhitch::plan {

namespace {

using nlohmann::json;

constexpr std::string_view k_schema = "drawhitch.manifest.1";

json bytes_json(const std::string& bytes) {
    if (is_valid_utf8(bytes)) return bytes;
    return json{{"b64", base64(bytes)}};
}

int sextet(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

std::optional<std::string> unbase64(std::string_view text) {
    while (text.ends_with('=')) {
        text.remove_suffix(1);
    }
    std::string bytes;
    unsigned held = 0;
    unsigned bits = 0;
    for (char c : text) {
        const int value = sextet(c);
        if (value < 0) return std::nullopt;
        held = (held << 6U) | static_cast<unsigned>(value);
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        bytes += static_cast<char>((held >> bits) & 0xFFU);
    }
    return bytes;
}

std::optional<std::string> bytes_of(const json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (!value.is_object()) return std::nullopt;
    const auto encoded = value.find("b64");
    if (encoded == value.end() || !encoded->is_string()) return std::nullopt;
    return unbase64(encoded->get<std::string>());
}

json row_json(const ManifestFile& file) {
    const model::ManifestEntry& entry = file.entry;
    json row = {{"path", bytes_json(entry.path)},
                {"bytes", entry.size},
                {"sha256", entry.sha256},
                {"root", entry.root},
                {"mode", file.mode},
                {"mtime_s", entry.mtime.seconds},
                {"mtime_ns", entry.mtime.nanoseconds},
                {"class", model::name_of(entry.wanted)},
                {"structure", model::name_of(file.structure)}};
    if (entry.unit != entry.path) row["unit"] = bytes_json(entry.unit);
    return row;
}

Error unusable(std::string_view why) {
    return Error{Code::config, "the manifest cannot be used: " + std::string{why}};
}

template <class T>
std::optional<T> number_of(const json& row, const char* key) {
    const auto found = row.find(key);
    if (found == row.end() || !found->is_number_integer()) return std::nullopt;
    return found->get<T>();
}

std::string text_of(const json& row, const char* key) {
    const auto found = row.find(key);
    return found != row.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

std::optional<model::Structure> structure_of(std::string_view name) {
    using model::Structure;
    for (const Structure s : {Structure::not_checked, Structure::sound, Structure::broken, Structure::unknown_format}) {
        if (model::name_of(s) == name) return s;
    }
    return std::nullopt;
}

std::optional<ManifestFile> file_of(const json& row) {
    if (!row.is_object() || !row.contains("path")) return std::nullopt;
    ManifestFile file{};
    const auto path = bytes_of(row["path"]);
    const auto unit = row.contains("unit") ? bytes_of(row["unit"]) : path;
    const auto wanted = model::roster_class(text_of(row, "class"));
    const auto structure = structure_of(text_of(row, "structure"));
    const auto size = number_of<std::uint64_t>(row, "bytes");
    if (!path || !unit || !wanted || !structure || !size || !proto::is_safe_path(*path)) return std::nullopt;
    file.entry = {*unit, *path, *size, {}, text_of(row, "root"), text_of(row, "sha256"), *wanted};
    if (!proto::Digest::from_hex(file.entry.sha256) || !proto::Digest::from_hex(file.entry.root)) return std::nullopt;
    file.entry.mtime.seconds = number_of<std::int64_t>(row, "mtime_s").value_or(0);
    file.entry.mtime.nanoseconds = number_of<std::int32_t>(row, "mtime_ns").value_or(0);
    file.structure = *structure;
    file.mode = number_of<std::uint32_t>(row, "mode").value_or(0644);
    return file;
}

}  // namespace

std::string manifest_json(const ManifestHead& head, std::span<const ManifestFile> files) {
    std::string text = "{\"schema\": \"" + std::string{k_schema} + "\",\n";
    text += " \"box\": " + bytes_json(head.box).dump() + ", \"run\": " + bytes_json(head.run).dump() + ",\n";
    text += " \"source\": " + bytes_json(head.source).dump() + ", \"made\": \"" + rfc3339(head.made) + "\",\n";
    text += " \"made_s\": " + std::to_string(head.made.seconds) + ",\n \"files\": [";
    for (std::size_t i = 0; i < files.size(); ++i) {
        text += i == 0 ? "\n  " : ",\n  ";
        text += row_json(files[i]).dump();
    }
    return text += files.empty() ? "]}\n" : "\n ]}\n";
}

Result<ManifestText> parse_manifest(std::string_view text) {
    const json whole = json::parse(text, nullptr, false);
    if (!whole.is_object()) return unusable("it is no JSON object");
    if (text_of(whole, "schema") != k_schema) return unusable("it has an unknown schema");
    const auto rows = whole.find("files");
    if (rows == whole.end() || !rows->is_array()) return unusable("it lists no files");
    ManifestText manifest{};
    manifest.head = {bytes_of(whole.value("box", json{})).value_or(""),
                     bytes_of(whole.value("run", json{})).value_or(""),
                     bytes_of(whole.value("source", json{})).value_or(""),
                     {}};
    manifest.head.made.seconds = number_of<std::int64_t>(whole, "made_s").value_or(0);
    std::set<std::string> seen;
    for (const json& row : *rows) {
        auto file = file_of(row);
        if (!file) return unusable("row " + std::to_string(manifest.files.size() + 1) + " is damaged");
        if (!seen.insert(file->entry.path).second) return unusable("it names a file twice");
        manifest.files.push_back(std::move(*file));
    }
    return manifest;
}

std::string sums_text(std::span<const ManifestFile> files) {
    std::string text;
    for (const ManifestFile& file : files) {
        const std::string& path = file.entry.path;
        const bool escape = path.find_first_of("\\\n") != std::string::npos;
        if (escape) text += '\\';
        text += file.entry.sha256 + "  ";
        for (char c : path) {
            if (c == '\\') {
                text += "\\\\";
            } else if (c == '\n') {
                text += "\\n";
            } else {
                text += c;
            }
        }
        text += '\n';
    }
    return text;
}

}  // namespace drawhitch::plan
