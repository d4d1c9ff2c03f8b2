// The answer of the survey of processes (templates/box/survey.sh) as facts. Total: any bytes give facts; what was cut
// off or makes no sense leaves `complete` false, and the gate takes that for unknown.
#pragma once

#include <string_view>

#include "core/model/box_process.hpp"

namespace drawhitch::parse {

model::ProcessSurvey survey(std::string_view text, std::string_view nonce);

}  // namespace drawhitch::parse
