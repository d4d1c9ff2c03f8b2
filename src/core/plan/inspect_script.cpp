#include "core/plan/inspect_script.hpp"

#include "core/plan/box_scripts.hpp"
#include "core/plan/script_text.hpp"

namespace drawhitch::plan {

std::string inspect_script(const std::string& nonce, const std::vector<InspectPlace>& places) {
    std::string text = assignment("N", nonce);
    text += box_inspect_sh();
    for (const InspectPlace& place : places)
        text += "place " + script_word(place.name) + " " + script_word(place.path) + "\n";
    return text += "inspect_end\n";
}

}  // namespace drawhitch::plan
