#include "core/plan/manifest.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "base/text.hpp"
#include "core/plan/home_names.hpp"
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
    if (const std::string on_box = work_name(entry.path); on_box != entry.path) row["on_box"] = bytes_json(on_box);
    if (entry.unit != entry.path) row["unit"] = bytes_json(entry.unit);
    if (!file.unproven.empty()) row["unproven"] = bytes_json(file.unproven);
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
    // Whatever stands there, it is no proof.
    if (row.contains("unproven")) file.unproven = bytes_of(row["unproven"]).value_or("it was not proven");
    return file;
}

// A word for people: what makes no sense in it is left out.
std::vector<ManifestAside> aside_of(const json& whole) {
    std::vector<ManifestAside> moves;
    const auto rows = whole.find("moved_aside");
    if (rows == whole.end() || !rows->is_array()) return moves;
    for (const json& row : *rows) {
        if (!row.is_object() || !row.contains("path") || !row.contains("to")) continue;
        const auto path = bytes_of(row["path"]);
        const auto to = bytes_of(row["to"]);
        if (path && to && proto::is_safe_path(*path) && proto::is_safe_path(*to)) moves.push_back({*path, *to});
    }
    return moves;
}

}  // namespace

ManifestWriter::ManifestWriter(const ManifestHead& head) {
    text_ = "{\"schema\": \"" + std::string{k_schema} + "\",\n";
    text_ += " \"box\": " + bytes_json(head.box).dump() + ", \"run\": " + bytes_json(head.run).dump() + ",\n";
    text_ += " \"source\": " + bytes_json(head.source).dump() + ", \"made\": \"" + rfc3339(head.made) + "\",\n";
    text_ += " \"made_s\": " + std::to_string(head.made.seconds) + ",\n \"files\": [";
}

void ManifestWriter::add(const ManifestFile& file) {
    text_ += any_ ? ",\n  " : "\n  ";
    text_ += row_json(file).dump();
    any_ = true;
}

std::string ManifestWriter::finish(std::span<const ManifestAside> moved_aside) {
    text_ += any_ ? "\n ]" : "]";
    for (const ManifestAside& moved : moved_aside) {
        text_ += &moved == moved_aside.data() ? ",\n \"moved_aside\": [\n  " : ",\n  ";
        text_ += json{{"path", bytes_json(moved.path)}, {"to", bytes_json(moved.to)}}.dump();
    }
    text_ += moved_aside.empty() ? "}\n" : "\n ]}\n";
    return std::move(text_);
}

std::string manifest_json(const ManifestHead& head, std::span<const ManifestFile> files) {
    ManifestWriter writer{head};
    for (const ManifestFile& file : files) {
        writer.add(file);
    }
    return writer.finish();
}

// Rows leave the parser one by one: a manifest may have hundreds of thousands, and a whole tree of them would take
// several times its text.
Result<ManifestText> parse_manifest(std::string_view text) {
    ManifestText manifest{};
    std::set<std::string> seen;
    std::string problem;
    const auto take_row = [&](const json& row) {
        auto file = file_of(row);
        if (!file) {
            problem = "row " + std::to_string(manifest.files.size() + 1) + " is damaged";
        } else if (!seen.insert(file->entry.path).second) {
            problem = "it names a file twice";
        } else {
            manifest.files.push_back(std::move(*file));
        }
    };
    std::string member;  // of the outermost object
    const auto filter = [&](int depth, json::parse_event_t event, json& value) {
        if (depth == 1 && event == json::parse_event_t::key) member = value.get<std::string>();
        // The elements of "files" lie at depth 2; other objects there are names in base64.
        if (depth != 2 || event != json::parse_event_t::object_end || member != "files") return true;
        if (problem.empty()) take_row(value);
        return false;
    };
    const json whole = json::parse(text, filter, false);
    if (!whole.is_object()) return unusable("it is no JSON object");
    if (text_of(whole, "schema") != k_schema) return unusable("it has an unknown schema");
    const auto rows = whole.find("files");
    if (rows == whole.end() || !rows->is_array()) return unusable("it lists no files");
    // Only objects leave the array: anything else in it is no row.
    if (problem.empty() && !rows->empty()) problem = "it lists something that is no file";
    if (!problem.empty()) return unusable(problem);
    manifest.head = {bytes_of(whole.value("box", json{})).value_or(""),
                     bytes_of(whole.value("run", json{})).value_or(""),
                     bytes_of(whole.value("source", json{})).value_or(""),
                     {}};
    manifest.moved_aside = aside_of(whole);
    manifest.head.made.seconds = number_of<std::int64_t>(whole, "made_s").value_or(0);
    return manifest;
}

std::string sums_line(const model::ManifestEntry& entry) {
    const bool escape = entry.path.find_first_of("\\\n\r") != std::string::npos;
    std::string line = escape ? "\\" : "";
    line += entry.sha256 + "  ";
    for (char c : entry.path) {
        if (c == '\\') {
            line += "\\\\";
        } else if (c == '\n') {
            line += "\\n";
        } else if (c == '\r') {
            line += "\\r";
        } else {
            line += c;
        }
    }
    return line += '\n';
}

std::string sums_text(std::span<const ManifestFile> files) {
    std::string text;
    for (const ManifestFile& file : files) {
        if (file.unproven.empty()) text += sums_line(file.entry);
    }
    return text;
}

}  // namespace drawhitch::plan
