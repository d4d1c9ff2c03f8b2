#include "core/plan/release_parts.hpp"

#include <charconv>
#include <map>

#include "base/text.hpp"
#include "core/judge/undeclared.hpp"
#include "core/proto/path.hpp"
#include "core/proto/tree_hash.hpp"

namespace drawhitch::plan {

namespace {

using proto::FileEntry;
using proto::FileType;

constexpr std::string_view k_head = "files 1\n";
constexpr std::size_t k_most_bytes = 8U << 20U;
constexpr std::size_t k_most_named = 3;

// A name that is a cache wherever it lies. The place in front keeps a project's own `tmp` from looking like the box's.
bool is_cache(std::string_view path) {
    return judge::is_cache_place("/release/" + std::string{path}, "");
}

char letter_of(const FileEntry& entry) {
    if (entry.type == FileType::symlink) return 'l';
    if (entry.type == FileType::directory) return 'd';
    return entry.executable() ? 'x' : 'f';
}

std::optional<FileEntry> read_line(std::string_view line) {
    const auto fields = split(line, ' ');
    if (fields.size() != 4 || fields[0].size() != 1) return std::nullopt;
    FileEntry entry{};
    entry.path = unhex(fields[3]);
    if (!proto::is_safe_path(entry.path)) return std::nullopt;
    switch (fields[0].front()) {
        case 'l':
            entry.type = FileType::symlink;
            entry.target = unhex(fields[2]);
            return entry;
        case 'd':
            entry.type = FileType::directory;
            return entry;
        case 'x':
        case 'f':
            break;
        default:
            return std::nullopt;
    }
    entry.type = FileType::file;
    entry.mode = fields[0] == "x" ? 0555 : 0444;
    const std::string_view size = fields[1];
    const auto [end, wrong] = std::from_chars(size.data(), size.data() + size.size(), entry.size);
    const auto digest = proto::Digest::from_hex(fields[2]);
    if (wrong != std::errc{} || end != size.data() + size.size() || !digest) return std::nullopt;
    entry.root = *digest;
    return entry;
}

bool is_as_deployed(const FileEntry& there, const FileEntry& deployed, bool digests) {
    if (there.error != 0 || there.type != deployed.type) return false;
    if (there.type == FileType::symlink) return there.target == deployed.target;
    if (there.type != FileType::file) return true;
    if (there.size != deployed.size || there.executable() != deployed.executable()) return false;
    return !digests || (there.root && there.root == deployed.root);
}

void name_some(std::string& text, const std::vector<std::string>& paths, std::string_view one, std::string_view many) {
    if (paths.empty()) return;
    if (!text.empty()) text += "; ";
    for (std::size_t i = 0; i < paths.size() && i < k_most_named; ++i)
        text += (i == 0 ? "" : ", ") + printable(paths[i]);
    if (paths.size() > k_most_named) text += " and " + counted(paths.size() - k_most_named, "other");
    text += ' ';
    text += paths.size() == 1 ? one : many;
}

}  // namespace

std::string manifest_text(std::span<const FileEntry> entries) {
    std::string text{k_head};
    for (const FileEntry& entry : entries) {
        text += letter_of(entry);
        text += ' ' + std::to_string(entry.type == FileType::file ? entry.size : 0) + ' ';
        if (entry.type == FileType::symlink) text += hex(entry.target);
        if (entry.type == FileType::file && entry.root) text += entry.root->hex();
        text += ' ' + hex(entry.path) + '\n';
        if (text.size() > k_most_bytes) return {};
    }
    return text;
}

std::optional<std::vector<FileEntry>> read_manifest(std::string_view text, const proto::Digest& hash) {
    if (!text.starts_with(k_head)) return std::nullopt;
    std::vector<FileEntry> entries{};
    for (const std::string_view line : split(text.substr(k_head.size()), '\n')) {
        if (line.empty()) continue;
        auto entry = read_line(line);
        if (!entry) return std::nullopt;
        entries.push_back(std::move(*entry));
    }
    const auto named = proto::tree_hash(entries);
    if (!named || *named != hash) return std::nullopt;
    return entries;
}

ReleaseDifference compare_release(std::span<const FileEntry> deployed, std::span<const FileEntry> found, bool digests) {
    std::map<std::string_view, const FileEntry*> left;
    for (const FileEntry& entry : deployed)
        if (entry.type != FileType::directory) left.emplace(entry.path, &entry);
    ReleaseDifference difference{};
    for (const FileEntry& entry : found) {
        const auto known = left.find(entry.path);
        if (known != left.end()) {
            const bool same = is_as_deployed(entry, *known->second, digests);
            if (!same) difference.edited.push_back(entry.path);
            left.erase(known);
            continue;
        }
        const bool empty = entry.type == FileType::directory && entry.error == 0 && !entry.mount_point;
        if (!empty && !is_cache(entry.path)) difference.foreign.push_back(entry.path);
    }
    for (const auto& [path, entry] : left)
        difference.missing.emplace_back(path);
    return difference;
}

bool is_whole_release(std::span<const FileEntry> found, const proto::Digest& hash) {
    const auto whole = proto::tree_hash(found);
    if (whole && *whole == hash) return true;
    std::vector<FileEntry> rest{};
    for (const FileEntry& entry : found)
        if (!is_cache(entry.path)) rest.push_back(entry);
    const auto without = proto::tree_hash(rest);
    return without && *without == hash;
}

std::string describe(const ReleaseDifference& difference) {
    std::string text{};
    name_some(text, difference.foreign, "is not of it", "are not of it");
    name_some(text, difference.edited, "was edited", "were edited");
    name_some(text, difference.missing, "is missing", "are missing");
    return text;
}

}  // namespace drawhitch::plan
