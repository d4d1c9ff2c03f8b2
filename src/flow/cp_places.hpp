// Where the two sides of a copy lie: paths as the user typed them, split and joined. Part of cp; touches no file but to
// see whether a path here is a directory.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace drawhitch::flow {

// A directory to open and a name in it.
struct Place {
    std::string directory{};  // absolute
    std::string name{};       // empty: the directory itself is meant
};

Place split_place(std::string path);

// "parent/name"; either may be empty.
std::string joined_path(std::string_view parent, std::string_view name);

// A scan's path below `name`; empty for `name` itself.
std::string path_below(const std::string& path, const std::string& name);

// Ours, wherever it lies in a tree: what fences a box's directory is no part of its content.
bool is_private_part(std::string_view path);

bool is_local_directory(const std::string& path);

// A path as the user gave it for a box, made absolute. Code::usage where it has no home to start at, unsafe_path where
// it has empty, "." or ".." parts.
Result<std::string> absolute_on_box(const std::string& path, const std::string& home);

}  // namespace drawhitch::flow
