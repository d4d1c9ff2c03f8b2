#include "core/plan/wrapper.hpp"

#include <utility>

#include "base/text.hpp"
#include "core/plan/box_scripts.hpp"
#include "core/plan/run_environment.hpp"

namespace drawhitch::plan {

namespace {

Status check_command(const std::vector<std::string>& command) {
    if (command.empty() || command[0].empty()) return Error{Code::usage, "no command was given after --"};
    if (command[0][0] == '-') {
        return Error{Code::usage, "the command begins with an option: " + printable(command[0])};
    }
    for (const std::string& word : command) {
        if (word.find('\0') != std::string::npos) return Error{Code::usage, "the command contains a NUL byte"};
    }
    return ok();
}

}  // namespace

std::vector<std::string> job_command(std::vector<std::string> typed) {
    if (typed.size() != 1 || typed[0].starts_with('-')) return typed;
    constexpr std::string_view k_read_by_shells = " \t\n|&;<>()$`\\\"'*?[]#~={}!";
    if (typed[0].find_first_of(k_read_by_shells) == std::string::npos) return typed;
    return {"sh", "-c", std::move(typed[0])};
}

Result<std::string> wrapper_text(const WrapperSpec& spec) {
    TRY(check_command(spec.command));
    if (spec.activate.find('\0') != std::string::npos) {
        return Error{Code::usage, "the activation line contains a NUL byte"};
    }
    std::string text = "#!/bin/sh\n# Written by drawhitch for the run " + spec.name + ". Nothing here is secret.\n";
    text += assignment("RUN_DIR", spec.run_dir);
    text += assignment("WORK", spec.work_dir);
    text += assignment("NAME", spec.name);
    text += assignment("TOKEN", spec.token);
    text += assignment("ATTEMPT", std::to_string(spec.attempt));
    text += assignment("ENV_FILE", spec.environment_file);
    text += assignment("ACTIVATE", spec.activate);
    text += assignment("PROC", spec.roots.proc);
    text += assignment("CGROUP", spec.roots.cgroup);
    text += "defaults() {\n    :\n";
    for (const auto& [name, value] : spec.defaults)
        text += "    default " + name + " " + script_word(value) + "\n";
    if (spec.threads) text += "    thread_caps " + std::to_string(*spec.threads) + "\n";
    text += "}\njob() {\n    launch";
    for (const std::string& word : spec.command)
        text += " " + script_word(word);
    text += "\n}\n" + shown_function(spec.record) + "\n";
    text += box_run_sh();
    return text;
}

}  // namespace drawhitch::plan
