// How the probe looks for the files of a roster pattern on the box: where to start, and which extended regular
// expression the path must match. Same meaning as parse::Glob::covers for files (a test holds them together). Pure.
#pragma once

#include <string>
#include <string_view>

namespace drawhitch::plan {

struct RosterScan {
    std::string start{};       // a path below the work tree, or "." for all of it
    std::string expression{};  // over "./path/from/the/work/tree"
};

// `pattern` is one that parse::Glob accepts.
RosterScan roster_scan(std::string_view pattern);

}  // namespace drawhitch::plan
