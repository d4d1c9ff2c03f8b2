#include "flow/run/logs.hpp"

#include "base/text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/context.hpp"
#include "cli/workplace.hpp"
#include "io/term/output.hpp"

namespace drawhitch::cli {

namespace {

using term::Cell;

constexpr std::int64_t k_most_lines = 1'000'000;

Result<flow::LogReport> show(Context& context, Workplace& place, const model::Lease& lease,
                             const flow::LogOptions& options) {
    if (!context.out.for_machines()) {
        return flow::read_log(context.op, place.deps(), lease, options, [&](std::string_view line) -> Status {
            context.out.text(line);
            if (options.follow) context.out.flush();
            // A closed pipe ends it like a cancelled read: nobody waits for the rest.
            if (context.out.reader_gone()) return Error{Code::cancelled, "nobody reads any more"};
            return ok();
        });
    }
    static const std::vector<term::Column> k_columns{{.key = "line", .title = "LINE"}};
    term::RowWriter rows = context.out.rows("lines", k_columns);
    return flow::read_log(context.op, place.deps(), lease, options, [&](std::string_view line) {
        rows.add({Cell::text(line)});
        return ok();
    });
}

Result<Outcome> run_logs(Context& context, const Parsed& parsed) {
    TRY_ASSIGN(const auto place, Workplace::open(context));
    TRY_ASSIGN(const auto here, place->target_to_read(parsed));
    flow::LogOptions options;
    options.run = here.rest.one("RUN").value_or("");
    options.follow = parsed.flag("follow");
    const std::int64_t lines = parsed.integer("lines").value_or(static_cast<std::int64_t>(options.lines));
    if (lines < 0 || lines > k_most_lines) {
        return Error{Code::usage, "--lines takes a number from 0 to " + std::to_string(k_most_lines)};
    }
    options.lines = static_cast<std::size_t>(lines);
    const auto report = show(context, *place, here.lease, options);
    if (!report) {
        if (report.error().code == Code::cancelled && !context.out.reader_gone()) {
            context.op.note("stopped following; the run goes on");
        }
        return report.error();
    }
    if (report->began_inside) {
        context.op.note("the log is " + human_bytes(report->size) + "; only its last 1.0 MiB were read");
    }
    context.out.json("run", term::Json::name(report->run));
    context.out.json("bytes", report->size);
    context.out.json("skipped", report->skipped);
    context.out.json("ended", report->ended);
    return Outcome{};
}

}  // namespace

CommandRow logs_command() {
    return CommandRow{
        .verb = "logs",
        .group = Group::life_cycle,
        .summary = "show the end of a run's log, or follow it",
        .description =
            "Shows lines as a terminal would have: progress bars in their last state, no escape\n"
            "sequences, control characters as \\x escapes. Following goes on over lost connections and\n"
            "ends with the run. Ctrl-C stops showing; the run goes on.",
        .positionals = {{.name = "BOX", .help = "a name from ls, or BOX@LEASE of an ended one", .box_optional = true},
                        {.name = "RUN", .help = "a run (the newest)", .arity = Arity::optional}},
        .options =
            {{.names = "-n,-l,--lines", .kind = OptionKind::integer, .metavar = "N", .help = "the last N lines (200)"},
             {.names = "-f,--follow", .help = "go on until the run ends"}},
        .examples = {{"drawhitch logs b1 -f", "follow the newest run of b1"},
                     {"drawhitch logs b1 r1 -n 50", "the last 50 lines of r1"}},
        .handler = run_logs,
    };
}

}  // namespace drawhitch::cli
