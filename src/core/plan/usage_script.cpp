#include "core/plan/usage_script.hpp"

#include "core/plan/box_scripts.hpp"
#include "core/plan/script_text.hpp"

namespace drawhitch::plan {

std::string usage_script(const std::string& nonce, const std::vector<std::string>& paths) {
    std::string text = assignment("N", nonce);
    text += box_usage_sh();
    for (std::size_t i = 0; i < paths.size(); ++i)
        text += "place " + std::to_string(i) + " " + script_word(paths[i]) + "\n";
    return text += "usage_end\n";
}

}  // namespace drawhitch::plan
