// lease ls, lease show, lease close.
#include <algorithm>

#include "base/text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/context.hpp"
#include "cli/event_view.hpp"
#include "cli/lease_view.hpp"
#include "cli/workplace.hpp"
#include "flow/overview.hpp"
#include "io/term/output.hpp"
#include "io/term/prompt.hpp"

namespace drawhitch::cli {

namespace {

using term::Align;
using term::Cell;
using term::Json;

const std::vector<term::Column>& lease_columns() {
    static const std::vector<term::Column> k_columns{
        {.key = "id", .title = "ID", .align = Align::right},
        {.key = "box", .title = "BOX"},
        {.key = "profile", .title = "PROFILE", .drops = 2},
        {.key = "state", .title = "STATE"},
        {.key = "began", .title = "BEGAN", .align = Align::right},
        {.key = "state_since", .title = "SINCE", .align = Align::right, .drops = 1},
        {.key = "spent", .title = "SPENT", .align = Align::right},
        {.key = "currency", .machine_only = true},
    };
    return k_columns;
}

Result<Outcome> run_lease_ls(Context& context, const Parsed&) {
    TRY_ASSIGN(const auto place, Workplace::open_to_look(context));
    TRY_ASSIGN(const auto leases, place->ledger().leases(ledger::Which::all));
    const WallTime now = context.op.clock.wall();
    {
        term::RowWriter rows = context.out.rows("leases", lease_columns());
        for (const model::Lease& lease : leases) {
            rows.add({Cell::integer(lease.id), Cell::name(lease.name), Cell::text(lease.profile),
                      state_cell(lease.state), time_cell(lease.began, now), time_cell(lease.state_since, now),
                      money_cell(flow::spent_on(lease, now), lease.currency), Cell::text(lease.currency)});
        }
    }
    if (!leases.empty()) return Outcome{};
    context.op.note("no box was ever leased");
    return Outcome{.next = {"drawhitch help adopt"}};
}

const std::vector<term::Column>& event_columns() {
    static const std::vector<term::Column> k_columns{
        {.key = "at", .title = "WHEN", .align = Align::right},
        {.key = "kind", .title = "WHAT"},
        {.key = "detail", .title = "DETAIL", .wraps = true},
    };
    return k_columns;
}

// The whole history of a lease, read in pieces.
Result<Outcome> run_lease_show(Context& context, const Parsed& parsed) {
    TRY_ASSIGN(const auto place, Workplace::open_to_look(context));
    TRY_ASSIGN(const auto here, place->target_of_any_time(parsed));
    const model::Lease& lease = here.lease;
    const WallTime now = context.op.clock.wall();
    context.out.value("box", "box", Cell::name(lease.name));
    context.out.value("id", "lease", Cell::integer(lease.id));
    context.out.value("state", "state", state_cell(lease.state));
    context.out.text("");
    term::RowWriter rows = context.out.rows("events", event_columns());
    std::int64_t after = 0;
    for (;;) {
        TRY(context.op.check());
        TRY_ASSIGN(const auto events, place->ledger().events(lease.id, after));
        if (events.empty()) break;
        for (const ledger::Event& event : events) {
            rows.add({Cell::time(event.at, now), Cell::text(event.kind), event_cell(event.json)});
        }
        after = events.back().id;
    }
    return Outcome{};
}

// What the user said with the command, and what is asked about.
struct Close {
    flow::LeaseView view{};
    std::vector<std::string> given_up{};
    std::string reason{};
};

// The command to type instead of answering: everything that was said stays, and what is open is named.
std::string close_command(const Close& close, const char* flag = "") {
    std::string text = "drawhitch lease close " + shell_word(close.view.lease.name) + flag;
    std::vector<std::string> names = close.given_up;
    for (const flow::RiskView& risk : close.view.at_risk)
        if (std::ranges::find(names, risk.run) == names.end()) names.push_back(risk.run);
    for (const std::string& name : names)
        text += " --lose " + shell_word(name);
    if (!close.reason.empty()) text += " --reason " + shell_word(close.reason);
    return text;
}

Status confirm_close(Context& context, const Close& close) {
    const std::string& name = close.view.lease.name;
    std::vector<std::string> open;
    for (const flow::RiskView& risk : close.view.at_risk) {
        if (std::ranges::find(close.given_up, risk.run) == close.given_up.end()) open.push_back(risk.reason);
    }
    const std::string instead = close_command(close, " --yes");
    context.op.note("closing " + name +
                    " records that it has ended: drawhitch stops counting its cost and watching it");
    if (open.empty()) {
        TRY_ASSIGN(const bool yes,
                   context.prompt.yes_no(context.op, "Has " + name + " ended, and does nothing of it bill?", instead));
        if (!yes)
            return Error{Code::gate_closed, "nothing was changed: you did not say that " + name + " has ended"}.then(
                close_command(close));
        return ok();
    }
    for (const std::string& reason : open)
        context.op.warn("not proven: " + reason);
    TRY_ASSIGN(
        const bool typed,
        context.prompt.typed(context.op, "These are given up. Type the name of the box to go on:", name, instead));
    if (!typed)
        return Error{Code::gate_closed, "nothing was changed: the name was not typed"}.then("drawhitch pull " + name);
    return ok();
}

// A name that is no run of the lease is a slip of the pen.
Status check_given_up(const std::vector<std::string>& names, const std::vector<model::Run>& runs) {
    for (const std::string& name : names) {
        if (std::ranges::any_of(runs, [&](const model::Run& run) { return run.spec.name == name; })) continue;
        return Error{Code::not_found, "--lose names no run of this box: " + printable(name) + "; nothing was changed"}
            .because("it gives up what a run left behind, by the run's name");
    }
    return ok();
}

Result<Outcome> run_lease_close(Context& context, const Parsed& parsed) {
    TRY_ASSIGN(const auto place, Workplace::open(context));
    TRY_ASSIGN(const auto here, place->target_of_any_time(parsed));
    const model::Lease& lease = here.lease;
    const std::string& name = lease.name;
    context.out.json("box", Json::name(name));
    if (lease.state == model::LeaseState::closed) {
        context.out.text(printable(name) + " was closed already");
        context.out.json("state", model::name_of(lease.state));
        return Outcome{};
    }
    TRY_ASSIGN(const std::string loose, flow::last_undeclared(place->ledger(), lease.id));
    if (!loose.empty()) context.op.warn("the last `down` found files that nothing explains, " + loose);
    Close close{{}, parsed.list("lose"), parsed.text("reason").value_or("")};
    TRY_ASSIGN(close.view, flow::view_lease(context.op, place->ledger(), lease, flow::CopyCheck::thorough));
    TRY_ASSIGN(const auto runs, place->ledger().runs(lease.id));
    TRY(check_given_up(close.given_up, runs));
    if (context.globals.dry_run) {
        context.out.value("at_risk", "given up", risks_cell(close.view.at_risk));
        return Outcome{.next = {close_command(close)}};
    }
    TRY(confirm_close(context, close));
    for (const flow::RiskView& risk : close.view.at_risk)
        TRY(flow::give_up(place->ledger(), lease.id, risk.run));
    const std::string& said = close.reason;
    TRY(place->ledger().close_lease(lease.id, "the user said that it has ended" + (said.empty() ? "" : ": " + said)));
    context.out.text(printable(name) + " is closed");
    context.out.json("state", model::name_of(model::LeaseState::closed));
    return Outcome{};
}

}  // namespace

CommandRow lease_ls_command() {
    return CommandRow{
        .verb = "lease ls",
        .group = Group::manage,
        .summary = "list all leases, closed ones included",
        .examples = {{"drawhitch lease ls", "every rental there ever was"}},
        .handler = run_lease_ls,
    };
}

CommandRow lease_show_command() {
    return CommandRow{
        .verb = "lease show",
        .group = Group::manage,
        .summary = "show the history of a lease",
        .positionals = {{.name = "BOX", .help = "a name or number from lease ls, or BOX@LEASE", .box_optional = true}},
        .examples = {{"drawhitch lease show b1", "what happened to b1, the oldest first"}},
        .handler = run_lease_show,
    };
}

CommandRow lease_close_command() {
    return CommandRow{
        .verb = "lease close",
        .group = Group::manage,
        .summary = "record that a box has ended, where drawhitch cannot prove it",
        .description =
            "For boxes without an API: after you ended the box by hand, this closes the lease. Runs whose\n"
            "results are not proven are named first, and the box's name must be typed. For scripts each\n"
            "is given up by name with --lose RUN; --yes alone gives up nothing.",
        .positionals = {{.name = "BOX", .help = "a name from ls", .box_optional = true}},
        .options =
            {{.names = "--lose", .kind = OptionKind::list, .metavar = "RUN", .help = "give up what RUN left behind"},
             {.names = "--reason",
              .kind = OptionKind::text,
              .metavar = "TEXT",
              .help = "how you know; kept with the lease"}},
        .examples = {{"drawhitch lease close b1", "b1 was ended in the provider's console"}},
        .handler = run_lease_close,
    };
}

}  // namespace drawhitch::cli
