// The environment of a run: what is exported, what the record may keep of it, and what is only a default. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace drawhitch::plan {

using Variables = std::map<std::string, std::string>;

// Code::usage for a name that is no shell variable or a value with a NUL byte. Values never appear in the error.
Status check_variables(const Variables& variables);

// The text of the run's environment file: one export a variable. Only for valid variables.
std::string environment_text(const Variables& variables);

// What the run record keeps: values of names that are harmless by an allow-list (the project's own `record` names count
// unless they look like secrets), and the other names, whose values are only to be hashed.
struct RecordedVariables {
    Variables shown{};
    std::vector<std::string> hidden{};
};
RecordedVariables recorded(const Variables& variables, const std::vector<std::string>& record);

// The same rule as a shell function for the wrapper, `shown NAME`: true for names whose values may be recorded. It sees
// the environment that the job really gets: with what the box, the profile and the activation line set.
std::string shown_function(const std::vector<std::string>& record);

// True for names such as HF_TOKEN, AWS_SECRET_ACCESS_KEY, DB_PASSWORD.
bool looks_secret(std::string_view name);

// Exported where neither the user nor the box set the variable.
struct RunDefaults {
    bool unbuffered{true};
    bool nccl_errors{true};  // a hang in a collective becomes an error, with a trace of the ranks
};
std::vector<std::pair<std::string, std::string>> default_variables(const RunDefaults& defaults);

}  // namespace drawhitch::plan
