// One function per command; each stands in the file of its verb beside this one.
#pragma once

#include "cli/command.hpp"

namespace drawhitch::cli {

CommandRow adopt_command();
CommandRow doctor_command();
CommandRow exec_command();
CommandRow ssh_command();
CommandRow ls_command();
CommandRow show_command();

CommandRow profile_ls_command();
CommandRow profile_show_command();
CommandRow profile_check_command();
CommandRow lease_ls_command();
CommandRow lease_show_command();
CommandRow lease_close_command();
CommandRow lease_export_command();
CommandRow trust_command();
CommandRow config_path_command();
CommandRow config_get_command();
CommandRow config_set_command();

CommandRow completion_command();
CommandRow complete_command();  // hidden: the completion scripts ask it
CommandRow demo_command();
CommandRow pull_command();
CommandRow push_command();
CommandRow verify_command();
CommandRow cp_command();
CommandRow du_command();
CommandRow version_command();
CommandRow help_command();
CommandRow run_command();
CommandRow ps_command();
CommandRow watch_command();
CommandRow logs_command();
CommandRow stop_run_command();
CommandRow down_command();

}  // namespace drawhitch::cli
