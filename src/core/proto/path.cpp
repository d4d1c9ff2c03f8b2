#include "core/proto/path.hpp"

#include <algorithm>
#include <cstring>

#include "base/text.hpp"
#include "core/proto/limits.hpp"

namespace drawhitch::proto {

bool is_safe_path(std::string_view path) {
    if (path.empty() || path.size() > k_path_max || path.find('\0') != std::string_view::npos) return false;
    const auto parts = split(path, '/');
    return std::all_of(parts.begin(), parts.end(), [](std::string_view part) {
        return !part.empty() && part.size() <= k_name_max && part != "." && part != "..";
    });
}

std::vector<std::string_view> path_components(std::string_view path) {
    if (path.empty()) return {};
    return split(path, '/');
}

std::string_view path_parent(std::string_view path) {
    const std::size_t at = path.rfind('/');
    return at == std::string_view::npos ? std::string_view{} : path.substr(0, at);
}

std::string_view path_name(std::string_view path) {
    const std::size_t at = path.rfind('/');
    return at == std::string_view::npos ? path : path.substr(at + 1);
}

bool is_within(std::string_view path, std::string_view ancestor) {
    if (ancestor.empty()) return true;
    if (!path.starts_with(ancestor)) return false;
    return path.size() == ancestor.size() || path[ancestor.size()] == '/';
}

bool is_private(std::string_view path) {
    return is_within(path, k_private_dir);
}

bool scan_less(std::string_view left, std::string_view right) {
    const std::size_t common = std::min(left.size(), right.size());
    for (std::size_t i = 0; i < common; ++i) {
        if (left[i] == right[i]) continue;
        // The end of a component sorts before any byte that could continue it.
        if (left[i] == '/') return true;
        if (right[i] == '/') return false;
        return static_cast<unsigned char>(left[i]) < static_cast<unsigned char>(right[i]);
    }
    return left.size() < right.size();
}

}  // namespace drawhitch::proto
