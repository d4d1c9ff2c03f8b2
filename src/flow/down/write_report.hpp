// Keeps the report of a teardown on the laptop. Private to flow/down.
#pragma once

#include <string>

#include "core/model/profile.hpp"
#include "flow/down/down.hpp"

namespace drawhitch::flow {

// Writes <state_dir>/reports/<box>-<lease>/report.json and report.md; returns the path of the former. A second teardown
// of the lease replaces them.
Result<std::string> write_report(const Op& op, Deps& deps, const model::Profile& profile, const DownReport& report);

}  // namespace drawhitch::flow
