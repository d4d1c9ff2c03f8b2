#include "flow/run/watch.hpp"
#include "flow/lease_word.hpp"

#include <map>
#include <optional>

#include "cli/commands/commands.hpp"
#include "cli/context.hpp"
#include "cli/run_view.hpp"
#include "cli/workplace.hpp"
#include "io/term/output.hpp"

namespace drawhitch::cli {

namespace {

// Tells each run whose verdict or progress differs from the look before: to people as a line on standard error, to
// machines as a row of data.changes while it is watched.
class Changes {
  public:
    Changes(Context& context, std::string box) : context_(context), box_(std::move(box)) {
        if (context_.out.for_machines()) rows_.emplace(context_.out, "changes", change_columns());
    }
    Changes(const Changes&) = delete;
    Changes& operator=(const Changes&) = delete;

    void look(const flow::RunsView& seen) {
        for (const flow::RunView& run : seen.runs) {
            std::string line = run_line(run);
            std::string& before = told_[run.run.id];
            if (line == before) continue;
            before = std::move(line);
            if (rows_) rows_->add(change_row(box_, run, context_.op.clock.wall()));
            // The lines of --jsonl are the rows; beside the one object of --json somebody may read along.
            if (context_.out.format() != term::Format::jsonl) context_.op.note(before);
        }
    }

  private:
    Context& context_;
    std::string box_;
    std::map<std::int64_t, std::string> told_{};
    std::optional<term::RowWriter> rows_{};
};

Result<Outcome> run_watch(Context& context, const Parsed& parsed) {
    TRY_ASSIGN(const auto place, Workplace::open(context));
    TRY_ASSIGN(const auto here, place->target_to_read(parsed));
    const std::string box = flow::word_of(here.lease);
    flow::WatchOptions options;
    options.run = here.rest.one("RUN").value_or("");
    options.every = parsed.duration("every").value_or(place->poll_interval(here.lease));
    options.once = parsed.flag("once");
    options.until_done = parsed.flag("until-done");
    options.give_up = parsed.duration("give-up").value_or(options.give_up);
    if (const auto stall = parsed.duration("stall-after")) {
        options.poll.stall_after = std::chrono::duration_cast<std::chrono::seconds>(*stall);
    }
    if (options.every < milliseconds{1000}) {
        return Error{Code::usage, "--every is at least one second"};
    }
    const auto view = [&] {
        Changes changes{context, box};
        return flow::watch_runs(context.op, place->deps(), here.lease, options, [&](const auto& seen, bool changed) {
            if (changed && !options.once) changes.look(seen);
        });
    }();
    if (!view) {
        if (view.error().code == Code::cancelled) context.op.note("stopped watching; the runs go on");
        return view.error();
    }
    show_runs(context.out, box, view->runs, context.op.clock.wall(), true);
    if (view->unreachable) context.op.warn(view->unreachable->message + "; what its runs do now is unknown");
    Outcome outcome{.exit = flow::exit_code_of(view->runs), .next = {}};
    advise_unbegun(context.op, box, view->runs, outcome.next);
    if (auto failed = job_error(box, view->runs)) return std::move(*failed);
    for (const flow::RunView& run : view->runs) {
        if (run.verdict.kind == model::VerdictKind::done && !run.run.spec.scratch) {
            outcome.next.push_back("drawhitch pull " + box + " " + run.run.spec.name);
        }
    }
    return outcome;
}

}  // namespace

CommandRow watch_command() {
    return CommandRow{
        .verb = "watch",
        .group = Group::life_cycle,
        .summary = "wait for the runs of a box, and say how they end",
        .description =
            "Looks again and again, each time over a short connection of its own, until every run\n"
            "that had not ended before has ended; where all had, the newest is judged. A box that does not answer for "
            "ten minutes ends the watch (exit 5); with\n"
            "--until-done it waits on. Watching less, more or not at all changes nothing on the box.\n"
            "With --jsonl each change is one line when it is seen, with --json a row of data.changes.\n"
            "\n"
            "Exit codes: 0 all done, 12 a run failed or left no artifacts, 13 a run stalled, 5 unknown.",
        .positionals = {{.name = "BOX", .help = "a name from ls, or BOX@LEASE of an ended one", .box_optional = true},
                        {.name = "RUN", .help = "only this one", .arity = Arity::optional}},
        .options =
            {
                {.names = "--every",
                 .kind = OptionKind::duration,
                 .metavar = "TIME",
                 .help = "between two looks (connection.poll_s)"},
                {.names = "--once", .help = "look once"},
                {.names = "--until-done", .help = "wait on while the box does not answer"},
                {.names = "--give-up",
                 .kind = OptionKind::duration,
                 .metavar = "TIME",
                 .help = "how long the box may not answer (10m)"},
                {.names = "--stall-after",
                 .kind = OptionKind::duration,
                 .metavar = "TIME",
                 .help = "how long a run may show no step and no artifact (30m)"},
            },
        .examples = {{"drawhitch watch b1 --until-done && drawhitch pull b1", "fetch when all is done"}},
        .handler = run_watch,
    };
}

}  // namespace drawhitch::cli
