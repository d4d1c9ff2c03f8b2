// What a pull shows of its report, on both streams. Values in, text out.
#pragma once

namespace drawhitch::flow {
struct PullReport;
}

namespace drawhitch::cli {

struct Context;

// `planned`: it was a dry run.
void show_pull(Context& context, const flow::PullReport& report, bool planned);

}  // namespace drawhitch::cli
