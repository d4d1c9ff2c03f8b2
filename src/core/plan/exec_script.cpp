#include "core/plan/exec_script.hpp"

#include "core/plan/box_scripts.hpp"
#include "core/plan/script_text.hpp"

namespace drawhitch::plan {

std::string exec_script(const ExecSpec& spec) {
    std::string text = "set -- " + script_word(spec.directory) + " " + std::to_string(spec.input_bytes);
    if (spec.command.size() == 1) text += " /bin/sh -c";
    for (const std::string& word : spec.command)
        text += " " + script_word(word);
    return text + "\n" + assignment("dh_body", box_exec_sh()) + "eval \"$dh_body\"\n";
}

}  // namespace drawhitch::plan
