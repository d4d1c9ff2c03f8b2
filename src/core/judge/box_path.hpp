// Absolute paths of a box as bytes, compared by component: "/data2" is not inside "/data". Pure text.
#pragma once

#include <string>
#include <string_view>

namespace drawhitch::judge {

// True if `path` is `ancestor` or lies below it. Both absolute, without trailing slashes (but for "/" itself).
inline bool is_inside(std::string_view path, std::string_view ancestor) {
    if (ancestor == "/") return path.starts_with('/');
    if (ancestor.empty() || !path.starts_with(ancestor)) return false;
    return path.size() == ancestor.size() || path[ancestor.size()] == '/';
}

// "/a" for "/a/b", "/" for "/a" and for "/".
inline std::string_view parent_of(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos || slash == 0) return "/";
    return path.substr(0, slash);
}

inline std::string_view base_of(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

// Where a link in the directory `place` (absolute, free of links) leads, by its text alone; empty when that cannot be
// told: ".." behind a name depends on whether the name is a link itself.
inline std::string link_target(std::string_view place, std::string_view target) {
    std::string at{target.starts_with('/') ? std::string_view{"/"} : place};
    bool named = false;
    while (!target.empty()) {
        const std::string_view part = target.substr(0, target.find('/'));
        target.remove_prefix(part.size());
        if (!target.empty()) target.remove_prefix(1);
        if (part.empty() || part == ".") continue;
        if (part == "..") {
            if (named) return {};
            at = std::string{parent_of(at)};
            continue;
        }
        named = true;
        if (at != "/") at += '/';
        at.append(part);
    }
    return at;
}

// Absolute, without trailing slashes, and with neither empty nor "." nor ".." components; empty when it cannot be that.
inline std::string clean_box_path(std::string_view path) {
    if (path.empty() || path.front() != '/' || path.find('\0') != std::string_view::npos) return {};
    std::string clean{};
    while (!path.empty()) {
        path.remove_prefix(1);
        const std::string_view part = path.substr(0, path.find('/'));
        if (part == "." || part == "..") return {};
        if (!part.empty()) clean.append("/").append(part);
        path.remove_prefix(part.size());
    }
    return clean.empty() ? "/" : clean;
}

}  // namespace drawhitch::judge
