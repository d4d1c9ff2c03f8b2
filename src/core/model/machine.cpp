#include "core/model/machine.hpp"

#include <algorithm>

namespace drawhitch::model {

bool MachineFacts::has_tool(const std::string& name) const {
    return std::find(tools.begin(), tools.end(), name) != tools.end();
}

const PlaceFacts* MachineFacts::place(const std::string& name) const {
    const auto found =
        std::find_if(places.begin(), places.end(), [&](const PlaceFacts& at) { return at.name == name; });
    return found == places.end() ? nullptr : &*found;
}

}  // namespace drawhitch::model
