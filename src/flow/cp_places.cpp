#include "flow/cp_places.hpp"

#include <sys/stat.h>

#include "base/text.hpp"
#include "core/proto/limits.hpp"
#include "core/proto/path.hpp"

namespace drawhitch::flow {

Place split_place(std::string path) {
    const bool into = path.ends_with('/');
    while (path.size() > 1 && path.ends_with('/')) {
        path.pop_back();
    }
    if (into || path == "/") return {path, {}};
    const std::size_t slash = path.rfind('/');
    return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

std::string joined_path(std::string_view parent, std::string_view name) {
    if (parent.empty()) return std::string{name};
    if (name.empty()) return std::string{parent};
    return std::string{parent} + (parent.ends_with('/') ? "" : "/") + std::string{name};
}

std::string path_below(const std::string& path, const std::string& name) {
    return path.size() > name.size() ? path.substr(name.empty() ? 0 : name.size() + 1) : std::string{};
}

bool is_private_part(std::string_view path) {
    for (const std::string_view part : proto::path_components(path)) {
        if (part == proto::k_private_dir) return true;
    }
    return false;
}

bool is_local_directory(const std::string& path) {
    struct stat found {};
    return ::stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

Result<std::string> absolute_on_box(const std::string& path, const std::string& home) {
    std::string absolute = path;
    if (path.empty() || path == "~") {
        absolute = home + "/";
    } else if (path.starts_with("~/")) {
        absolute = home + path.substr(1);
    } else if (path.front() != '/') {
        absolute = home + "/" + path;
    }
    if (absolute.empty() || absolute.front() != '/') {
        return Error{Code::usage, "the box tells no home directory: give an absolute path"};
    }
    const std::string_view trimmed = trim(std::string_view{absolute}.substr(1));
    const std::string_view core = trimmed.ends_with('/') ? trimmed.substr(0, trimmed.size() - 1) : trimmed;
    if (!core.empty() && !proto::is_safe_path(core)) {
        return Error{Code::unsafe_path,
                     "refused " + printable(path) + ": paths on a box have no empty, \".\" or \"..\" parts"};
    }
    return absolute;
}

}  // namespace drawhitch::flow
