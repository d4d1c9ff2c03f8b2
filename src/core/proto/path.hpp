// The rules for paths that cross the wire: bytes, relative, by component. Pure text; opening them safely is the
// helper's work (helper/root.hpp).
#pragma once

#include <string_view>
#include <vector>

namespace drawhitch::proto {

// True for "a", "a/b": no leading, trailing or doubled '/', no "." or ".." component, no NUL, components of at most
// k_name_max bytes, at most k_path_max in all. The empty path (the root itself) is not one of them.
bool is_safe_path(std::string_view path);

// The components of a safe path.
std::vector<std::string_view> path_components(std::string_view path);

// Everything before the last '/', empty if there is none; and what follows it.
std::string_view path_parent(std::string_view path);
std::string_view path_name(std::string_view path);

// True if `path` is `ancestor` or lies below it, compared by component. The empty ancestor holds everything.
bool is_within(std::string_view path, std::string_view ancestor);

// True if the first component is the private directory.
bool is_private(std::string_view path);

// Order of a scan: by components, each compared as unsigned bytes, so that a directory precedes its content and
// content stays together ("a/b" before "a-b", although '-' sorts before '/').
bool scan_less(std::string_view left, std::string_view right);

}  // namespace drawhitch::proto
