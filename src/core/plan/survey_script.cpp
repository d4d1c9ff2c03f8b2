#include "core/plan/survey_script.hpp"

#include <algorithm>

#include "core/plan/box_scripts.hpp"

namespace drawhitch::plan {

std::string survey_script(const SurveySpec& spec) {
    std::string text = assignment("N", spec.nonce);
    text += assignment("PROC", spec.roots.proc);
    text += assignment("SINCE", std::to_string(std::max<std::int64_t>(0, spec.since)));
    return text += box_survey_sh();
}

}  // namespace drawhitch::plan
