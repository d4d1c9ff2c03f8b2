#include "cli/commands/commands.hpp"
#include "cli/context.hpp"
#include "cli/exit_code.hpp"
#include "cli/run_view.hpp"
#include "cli/workplace.hpp"
#include "flow/lease_word.hpp"
#include "flow/run/poll.hpp"
#include "io/term/output.hpp"

namespace drawhitch::cli {

namespace {

// Where no box is leased no run can be live: an empty list, as `ls` gives one.
Outcome nothing_leased(Context& context) {
    show_runs(context.out, {}, {}, context.op.clock.wall(), false);
    context.op.note("no box is leased, so there are no runs");
    return Outcome{.next = {"drawhitch help adopt"}};
}

Result<Outcome> run_ps(Context& context, const Parsed& parsed) {
    TRY_ASSIGN(const auto place, Workplace::open_to_look(context));
    if (parsed.words().empty()) {
        TRY_ASSIGN(const auto usual, place->usual_box());
        TRY_ASSIGN(const auto open, place->ledger().leases(ledger::Which::open));
        if (!usual && open.empty()) return nothing_leased(context);
    }
    TRY_ASSIGN(const auto here, place->target_to_read(parsed));
    const std::string name = here.rest.one("RUN").value_or("");
    // A lease that was closed has no box that could be asked.
    const bool open = here.lease.state != model::LeaseState::closed;
    TRY_ASSIGN(const auto view, flow::view_runs(context.op, place->deps(), here.lease, name, {.always = open}));
    show_runs(context.out, flow::word_of(here.lease), view.runs, context.op.clock.wall(),
              !name.empty() || context.globals.verbose > 0);
    Outcome outcome;
    if (view.runs.empty()) {
        context.op.note(here.lease.name + " has no runs");
        outcome.next.push_back("drawhitch help run");
    }
    advise_unbegun(context.op, flow::word_of(here.lease), view.runs, outcome.next);
    if (view.refused) return from_ledger(*view.refused, view.runs);
    if (view.unreachable) {
        context.op.warn(from_ledger(*view.unreachable, view.runs).message);
        outcome.exit = exit_code::k_unreachable;
        outcome.next.push_back("drawhitch doctor " + flow::word_of(here.lease));
    }
    return outcome;
}

}  // namespace

CommandRow ps_command() {
    return CommandRow{
        .verb = "ps",
        .group = Group::life_cycle,
        .summary = "list the runs of a box with their verdicts",
        .description =
            "Asks the box about runs that are not known to have ended: one connection, one look. A box\n"
            "that does not answer leaves every verdict as it was, and the exit code is 5; one that refuses\n"
            "us, or has another key, 10. Runs that ended are shown from the ledger either way. With RUN,\n"
            "or -v, the evidence of each verdict is shown.",
        .positionals = {{.name = "BOX", .help = "a name from ls, or BOX@LEASE of an ended one", .box_optional = true},
                        {.name = "RUN", .help = "only this one", .arity = Arity::optional}},
        .examples = {{"drawhitch ps b1", "all runs"}, {"drawhitch ps b1 r1", "one run, and why we say so"}},
        .handler = run_ps,
    };
}

}  // namespace drawhitch::cli
