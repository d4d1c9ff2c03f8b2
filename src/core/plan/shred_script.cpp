#include "core/plan/shred_script.hpp"

#include "core/plan/box_scripts.hpp"
#include "core/plan/script_text.hpp"

namespace drawhitch::plan {

std::string shred_script(const std::string& nonce, std::span<const std::string> paths) {
    std::string text = assignment("N", nonce);
    text += box_shred_sh();
    for (const std::string& path : paths)
        text += "shred " + script_word(path) + "\n";
    return text += "finish\n";
}

}  // namespace drawhitch::plan
