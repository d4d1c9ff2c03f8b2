#include "core/proto/tree_hash.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "core/proto/path.hpp"
#include "core/proto/wire.hpp"

namespace drawhitch::proto {

namespace {

constexpr std::string_view k_link_prefix{"\2", 1};
constexpr std::string_view k_tree_prefix{"\3", 1};

Status check_entry(const FileEntry& entry) {
    if (!is_safe_path(entry.path)) return Error{Code::unsafe_path, "not a path of a tree: " + printable(entry.path)};
    const bool hashable =
        entry.type == FileType::file || entry.type == FileType::directory || entry.type == FileType::symlink;
    if (!hashable || entry.error != 0) {
        return Error{Code::skipped, "cannot be part of a tree hash: " + printable(entry.path)};
    }
    if (entry.type == FileType::file && !entry.root) {
        return Error{Code::integrity, "no digest is known for " + printable(entry.path)};
    }
    return ok();
}

Digest item_digest(const FileEntry& entry) {
    if (entry.type == FileType::file) return *entry.root;
    if (entry.type == FileType::directory) return {};
    Sha256 hash;
    hash.update(k_link_prefix);
    hash.update(entry.target);
    return hash.finish();
}

void add_item(Sha256& tree, const FileEntry& entry) {
    std::string head;
    Writer write(head);
    write(static_cast<std::uint8_t>(entry.type));
    write(entry.type == FileType::file && entry.executable());
    write(entry.path);
    write(item_digest(entry));
    tree.update(head);
}

}  // namespace

Result<Digest> tree_hash(std::span<const FileEntry> entries) {
    std::vector<const FileEntry*> sorted;
    sorted.reserve(entries.size());
    for (const FileEntry& entry : entries) {
        TRY(check_entry(entry));
        sorted.push_back(&entry);
    }
    // Scan order puts what a directory holds right behind it, which tells empty ones from full ones.
    std::sort(sorted.begin(), sorted.end(),
              [](const FileEntry* a, const FileEntry* b) { return scan_less(a->path, b->path); });
    std::vector<const FileEntry*> items;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        const FileEntry* next = i + 1 < sorted.size() ? sorted[i + 1] : nullptr;
        const bool holds_next = next != nullptr && is_within(next->path, sorted[i]->path);
        if (holds_next && (next->path == sorted[i]->path || sorted[i]->type != FileType::directory)) {
            return Error{Code::unsafe_path, "a tree names this path twice: " + printable(sorted[i]->path)};
        }
        if (!holds_next) items.push_back(sorted[i]);
    }
    std::sort(items.begin(), items.end(), [](const FileEntry* a, const FileEntry* b) { return a->path < b->path; });
    Sha256 tree;
    tree.update(k_tree_prefix);
    for (const FileEntry* item : items)
        add_item(tree, *item);
    return tree.finish();
}

}  // namespace drawhitch::proto
