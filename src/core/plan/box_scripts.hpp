// The shell scripts that run on a box (templates/box), built into the program. Each expects values and, some, calls
// around it; the functions of this room that render them say which.
#pragma once

#include <string_view>

namespace drawhitch::plan {

std::string_view box_run_sh();
std::string_view box_prepare_sh();
std::string_view box_start_sh();
std::string_view box_probe_sh();
std::string_view box_stop_sh();
std::string_view box_log_sh();
std::string_view box_inspect_sh();
std::string_view box_survey_sh();
std::string_view box_usage_sh();
std::string_view box_shred_sh();
std::string_view box_exec_sh();
std::string_view box_exec_watch_sh();
std::string_view box_exec_ended_sh();

}  // namespace drawhitch::plan
