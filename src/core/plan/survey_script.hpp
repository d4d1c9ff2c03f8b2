// The script that lists our processes on a box before a teardown (templates/box/survey.sh). Pure.
#pragma once

#include <cstdint>
#include <string>

#include "core/plan/script_text.hpp"

namespace drawhitch::plan {

struct SurveySpec {
    std::string nonce{};    // hex, fresh for each call
    std::int64_t since{0};  // seconds by the box's clock: older processes are not listed
    BoxRoots roots{};
};

std::string survey_script(const SurveySpec& spec);

}  // namespace drawhitch::plan
