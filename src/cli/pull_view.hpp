// What a pull shows of its report, on both streams. Values in, text out.
#pragma once

#include "base/result.hpp"
#include "io/term/json.hpp"

namespace drawhitch::flow {
struct Deps;
struct FollowOptions;
struct FollowReport;
struct PullReport;
}  // namespace drawhitch::flow

namespace drawhitch::cli {

struct Context;

// `planned`: it was a dry run.
void show_pull(Context& context, const flow::PullReport& report, bool planned);

// flow::follow_run, each unit shown when it came: a line for people, a row of "units" for machines.
Result<flow::FollowReport> follow_shown(Context& context, flow::Deps& deps, const flow::FollowOptions& options);
// What came while the run went on, in sum.
term::Json followed_json(const flow::FollowReport& report);

}  // namespace drawhitch::cli
