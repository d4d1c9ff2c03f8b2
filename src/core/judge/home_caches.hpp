// What lies in a home directory because a tool put it there: caches that the tool fills again, settings of shells and
// editors. Pure text, by place (docs/gate.md lists the places).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace drawhitch::judge {

// `below` is relative to the home directory. Below ".cache" only the places of tools that are known here: anybody may
// make a directory there, and results do not become worthless by lying in it.
bool is_home_cache(std::string_view below);
// Directories below the home directory in which all is explained by place, absolute.
std::vector<std::string> home_places_not_searched(std::string_view home);

}  // namespace drawhitch::judge
