// The records a run's wrapper writes on the box, start.json and exit.json. Total: what does not parse as a whole is
// absent, and the caller then says "unknown".
#pragma once

#include <optional>
#include <string_view>

#include "core/model/run_facts.hpp"

namespace drawhitch::parse {

std::optional<model::StartRecord> start_record(std::string_view json);
std::optional<model::ExitRecord> exit_record(std::string_view json);

}  // namespace drawhitch::parse
