// What a run's files are called where they come home. A pull keeps some names of its directory for itself: its two
// lists, the log and record of the run, and its private directory. A file of the job's that has such a name lands
// beside them under one with an ending; the rule works both ways, so that receipts, `verify` and the gate mean one and
// the same file. Pure; the only place that knows the rule.
#pragma once

#include <string>
#include <string_view>

namespace drawhitch::plan {

// Put behind the outermost part of a path whose name a pull keeps; behind one that has the ending already, once more.
inline constexpr std::string_view k_home_ending = ".box";

// The path below the pulled directory for one below the run's work tree. All but the kept names stay as they are.
std::string home_name(std::string_view work_path);
// The way back: the path below the work tree for one of a manifest. Those of the run's log and record (`_run/…`) stay.
std::string work_name(std::string_view home_path);

}  // namespace drawhitch::plan
