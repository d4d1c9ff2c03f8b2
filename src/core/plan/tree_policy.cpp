#include "core/plan/tree_policy.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unordered_map>

#include "base/text.hpp"

namespace drawhitch::plan {

namespace {

using proto::FileEntry;
using proto::FileType;

// As many as Linux follows before it answers ELOOP.
constexpr int k_most_hops = 40;

std::string joined(const std::vector<std::string_view>& parts) {
    std::string path;
    for (std::string_view part : parts) {
        if (!path.empty()) path += '/';
        path += part;
    }
    return path;
}

// Puts the parts of `target` in front of what is still to walk (the next part is at the back).
void push_parts(std::vector<std::string_view>& ahead, std::string_view target) {
    std::vector<std::string_view> parts = split(target, '/');
    ahead.insert(ahead.end(), parts.rbegin(), parts.rend());
}

std::string special_reason(const FileEntry& entry) {
    if (entry.error != 0) {
        return entry.error == EACCES || entry.error == EPERM
                   ? "cannot be read: permission denied"
                   : std::string("cannot be read: ") + std::strerror(entry.error);
    }
    switch (entry.type) {
        case FileType::fifo:
            return "is a named pipe";
        case FileType::socket:
            return "is a socket";
        case FileType::device:
            return "is a device";
        case FileType::unknown:
            return "is of an unknown kind";
        case FileType::file:
            // The scan opens nothing; without any read bit opening is bound to fail (but for root).
            return (entry.mode & 0444U) == 0 ? "cannot be read: no permission bits are set" : "";
        case FileType::directory:
        case FileType::symlink:
            return "";
    }
    return "";
}

void screen_link(const FileEntry& entry, std::size_t index, const FindEntry& find, const model::PushRules& rules,
                 ScreenedTree& screened) {
    const LinkKind kind = classify_link(entry.path, entry.target, find);
    const bool outside = kind == LinkKind::outside_absolute || kind == LinkKind::outside_above;
    const std::string reason = std::string(describe(kind)) + ": " + printable(entry.target);
    if (!outside) {
        screened.sent.push_back(index);
        if (kind != LinkKind::inside) screened.remarks.push_back({entry.path, reason});
        return;
    }
    switch (rules.outside_links) {
        case model::OutsideLinks::skip:
            screened.left_out.push_back({entry.path, reason});
            break;
        case model::OutsideLinks::copy:
            screened.sent.push_back(index);
            screened.remarks.push_back({entry.path, reason});
            break;
        case model::OutsideLinks::follow:
            screened.followed.push_back(index);
            break;
    }
}

Error refusal(const std::vector<LeftOut>& left_out) {
    const LeftOut& first = left_out.front();
    std::string message = printable(first.path) + " " + first.reason;
    if (left_out.size() > 1) message += ", and " + std::to_string(left_out.size() - 1) + " more cannot be pushed";
    std::vector<std::string> lines;
    constexpr std::size_t k_listed = 20;
    for (std::size_t i = 0; i < std::min(left_out.size(), k_listed); ++i) {
        lines.push_back(printable(left_out[i].path) + " " + left_out[i].reason);
    }
    return Error{Code::usage, std::move(message)}.because("push.special_files is \"error\":\n" + join(lines, "\n"));
}

// The way of a path through the tree, component by component.
struct Walk {
    const FindEntry& find;
    std::vector<std::string_view> place{};
    std::vector<std::string_view> ahead{};  // the next component comes last
    const FileEntry* entry{nullptr};        // of `place`, once a component was entered

    [[nodiscard]] bool at_link() const { return entry != nullptr && entry->type == FileType::symlink; }

    // Up to the next link or the end; anything but `inside` is the end of the way.
    LinkKind on() {
        entry = nullptr;
        while (!ahead.empty() && !at_link()) {
            const std::string_view part = ahead.back();
            ahead.pop_back();
            const LinkKind kind = part == ".." ? up() : part.empty() || part == "." ? LinkKind::inside : enter(part);
            if (kind != LinkKind::inside) return kind;
        }
        return LinkKind::inside;
    }

    LinkKind up() {
        if (place.empty()) return LinkKind::outside_above;
        place.pop_back();
        return LinkKind::inside;
    }

    LinkKind enter(std::string_view part) {
        place.push_back(part);
        entry = find(joined(place));
        if (entry == nullptr) return LinkKind::dangling;
        const bool leads_on = at_link() || entry->type == FileType::directory;
        return leads_on || ahead.empty() ? LinkKind::inside : LinkKind::dangling;  // nothing lies below a file
    }
};

}  // namespace

std::string_view describe(LinkKind kind) {
    switch (kind) {
        case LinkKind::inside:
            return "";
        case LinkKind::dangling:
            return "is a link to something that is not pushed";
        case LinkKind::loop:
            return "is a link that leads around in a circle";
        case LinkKind::outside_absolute:
            return "is a link to an absolute path";
        case LinkKind::outside_above:
            return "is a link that leaves the project";
    }
    return "";
}

LinkKind classify_link(std::string_view link_path, std::string_view target, const FindEntry& find) {
    std::vector<std::string_view> place = split(link_path, '/');
    place.pop_back();
    Walk walk{find, std::move(place)};
    int hops = 0;
    for (std::string_view text = target;;) {
        if (text.starts_with('/')) return LinkKind::outside_absolute;
        push_parts(walk.ahead, text);
        const LinkKind kind = walk.on();
        if (kind != LinkKind::inside || !walk.at_link()) return kind;
        if (++hops > k_most_hops) return LinkKind::loop;
        walk.place.pop_back();
        text = walk.entry->target;
    }
}

Result<ScreenedTree> screen_tree(std::span<const FileEntry> entries, const model::PushRules& rules) {
    std::unordered_map<std::string_view, const FileEntry*> by_path;
    by_path.reserve(entries.size());
    for (const FileEntry& entry : entries)
        by_path.emplace(entry.path, &entry);
    const FindEntry find = [&](std::string_view path) -> const FileEntry* {
        const auto at = by_path.find(path);
        return at == by_path.end() ? nullptr : at->second;
    };
    ScreenedTree screened;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (std::string reason = special_reason(entries[i]); !reason.empty()) {
            screened.left_out.push_back({entries[i].path, std::move(reason)});
        } else if (entries[i].type == FileType::symlink) {
            screen_link(entries[i], i, find, rules, screened);
        } else {
            screened.sent.push_back(i);
        }
    }
    if (rules.special_files == model::SpecialFiles::error && !screened.left_out.empty()) {
        return refusal(screened.left_out);
    }
    return screened;
}

}  // namespace drawhitch::plan
