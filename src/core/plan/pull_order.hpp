// In which order a pull brings what it selected, and what it completes together: directory by directory. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan/units.hpp"

namespace drawhitch::plan {

// A directory whose units finish, are verified and get their receipt together, whatever becomes of other directories.
struct PullDirectory {
    std::string path{};                // empty: the top
    std::vector<std::size_t> units{};  // indexes into the units given, in the order in which they are brought
    bool operator==(const PullDirectory&) const = default;
};

// How soon a file is wanted: 0 before 1 and so on. The same number for all keeps the order they have.
using Rank = std::function<std::size_t(std::string_view path)>;

// Each unit is in one directory: a unit that is a directory in its own, any other in the one its name lies in. A
// directory, and a unit in it, is wanted as soon as its soonest file.
std::vector<PullDirectory> pull_order(std::span<const Unit> units, std::span<const proto::FileEntry> entries,
                                      const Rank& rank);

}  // namespace drawhitch::plan
