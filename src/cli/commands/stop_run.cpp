#include "base/text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/context.hpp"
#include "cli/exit_code.hpp"
#include "cli/run_view.hpp"
#include "cli/workplace.hpp"
#include "flow/run/stop.hpp"
#include "io/term/output.hpp"

namespace drawhitch::cli {

namespace {

using term::Json;

std::string pids_text(const std::vector<std::int64_t>& pids) {
    std::vector<std::string> words;
    words.reserve(pids.size());
    for (const std::int64_t pid : pids)
        words.push_back(std::to_string(pid));
    return join(words, ", ");
}

Result<Outcome> dry(Context& context, Workplace& place, const model::Lease& lease, const flow::StopOptions& options) {
    TRY_ASSIGN(const model::Run run, place.ledger().run_by_name(lease.id, options.run));
    if (model::is_terminal(run.verdict.kind) && run.verdict.kind != model::VerdictKind::done_but_up) {
        context.out.text("run " + options.run + " has ended: no signal would be sent to its group");
        return Outcome{};
    }
    context.out.text("TERM to process group " + std::to_string(run.identity.pgid) + " of run " + options.run +
                     ", and KILL after " + human_duration(options.grace) + "; nothing was done");
    context.out.json("group", run.identity.pgid);
    return Outcome{};
}

Result<Outcome> run_stop_run(Context& context, const Parsed& parsed) {
    TRY_ASSIGN(const auto place, Workplace::open(context));
    TRY_ASSIGN(const auto here, place->target(parsed));
    const std::string& box = here.lease.name;
    flow::StopOptions options;
    options.run = *here.rest.one("RUN");
    options.grace = std::chrono::seconds(place->project().values.run.grace_s);
    if (const auto grace = parsed.duration("grace")) {
        options.grace = std::chrono::duration_cast<std::chrono::seconds>(*grace);
    }
    options.strays = parsed.flag("strays");
    if (context.globals.dry_run) return dry(context, *place, here.lease, options);
    TRY_ASSIGN(const auto report, flow::stop_run(context.op, place->deps(), here.lease, options));
    show_runs(context.out, box, {report.view}, context.op.clock.wall(), false);
    if (report.had_ended) context.op.note("run " + options.run + " had ended already; no signal was sent to its group");
    Json pids = Json::array();
    for (const std::int64_t pid : report.strays)
        pids.push(Json{pid});
    context.out.json("signal", report.signal.empty() ? Json{} : Json{report.signal});
    context.out.json("had_ended", report.had_ended);
    context.out.json("strays", pids);
    Outcome outcome;
    if (report.not_asked) {
        Error why = from_ledger(*report.not_asked, {report.view});
        if (!flow::is_unreachable(why)) return why;
        context.op.warn(why.message);
        return Outcome{.exit = exit_code::k_unreachable, .next = {"drawhitch doctor " + box}};
    }
    if (!report.strays.empty()) {
        context.op.warn("processes of run " + options.run + " live on outside of its group: pid " +
                        pids_text(report.strays));
        outcome.exit = exit_code::k_skipped;
        outcome.next.push_back("drawhitch stop-run " + box + " " + options.run + " --strays");
    }
    return outcome;
}

}  // namespace

CommandRow stop_run_command() {
    return CommandRow{
        .verb = "stop-run",
        .group = Group::life_cycle,
        .summary = "end one run, and nothing else",
        .description =
            "Sends TERM to the process group that the run's record names, waits for --grace, then sends\n"
            "KILL, and proves from connections of their own that the group is gone. A number that belongs\n"
            "to another process by now is never signalled. Processes of the run that left its group are\n"
            "named (exit 3) and ended with --strays. Of a run that has ended nothing is signalled; where\n"
            "the box does not answer (exit 5) or refuses us (exit 10), the ledger's word is shown and said\n"
            "to be no more than that.",
        .positionals = {{.name = "BOX", .help = "a name from ls", .box_optional = true},
                        {.name = "RUN", .help = "a name from ps"}},
        .options = {{.names = "--grace",
                     .kind = OptionKind::duration,
                     .metavar = "TIME",
                     .help = "between TERM and KILL (30s, or run.grace_s of drawhitch.toml)"},
                    {.names = "--strays", .help = "also end processes of the run outside of its group"}},
        .examples = {{"drawhitch stop-run b1 r1", "let r1 save and end"}},
        .handler = run_stop_run,
    };
}

}  // namespace drawhitch::cli
