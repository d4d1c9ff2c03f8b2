// The wrapper of a run, run.sh: written once beside the work tree and never changed. It exports the environment, runs
// the user's command exactly as given, and records how it began and ended (templates/box/run.sh). Pure.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "core/plan/script_text.hpp"

namespace drawhitch::plan {

struct WrapperSpec {
    std::string name{};
    std::string run_dir{};
    std::string work_dir{};
    std::string token{};  // hex; processes of the run carry it in their environment
    int attempt{1};
    std::string environment_file{};
    std::string activate{};  // a shell line, visible in the file
    std::vector<std::string> command{};
    std::vector<std::pair<std::string, std::string>> defaults{};
    std::optional<int> threads{};
    std::vector<std::string> record{};  // names beside the harmless ones whose values the run's record may keep
    BoxRoots roots{};
};

// The command that was typed. A single word that a shell would take apart is a line for the box's shell; several are
// the program and its arguments, exactly.
std::vector<std::string> job_command(std::vector<std::string> typed);

// Code::usage for an empty command, one whose program begins with '-', or a NUL byte anywhere.
Result<std::string> wrapper_text(const WrapperSpec& spec);

}  // namespace drawhitch::plan
