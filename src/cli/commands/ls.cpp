#include "base/text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/context.hpp"
#include "cli/lease_view.hpp"
#include "cli/workplace.hpp"
#include "flow/overview.hpp"
#include "io/term/output.hpp"

namespace drawhitch::cli {

namespace {

using term::Align;
using term::Cell;

const std::vector<term::Column>& box_columns() {
    static const std::vector<term::Column> k_columns{
        {.key = "box", .title = "BOX", .apart = true},
        {.key = "profile", .title = "PROFILE", .drops = 2},
        {.key = "state", .title = "STATE"},
        {.key = "price_hour", .title = "PRICE/H", .align = Align::right},
        {.key = "spent", .title = "SPENT", .align = Align::right},
        {.key = "currency", .machine_only = true},
        {.key = "began", .title = "BEGAN", .align = Align::right, .drops = 4},
        {.key = "last_contact", .title = "LAST CONTACT", .align = Align::right, .drops = 3},
        {.key = "clocks", .title = "CLOCKS", .may_shrink = true},
        {.key = "at_risk", .title = "AT RISK"},
        {.key = "lease", .machine_only = true},
    };
    return k_columns;
}

// In the table a number: the reasons stand below it, where they have room.
Cell short_risks_cell(const std::vector<flow::RiskView>& risks) {
    Cell cell = risks_cell(risks);
    if (cell.plain.empty()) cell.plain = cell.human;
    cell.human = risks.empty() ? "" : counted(risks.size(), "run");
    return cell;
}

void show_risks(term::Output& out, const flow::LeaseView& view) {
    constexpr std::size_t k_most = 8;
    std::size_t told = 0;
    for (const flow::RiskView& risk : view.at_risk) {
        if (told++ == k_most) break;
        out.text(printable(view.lease.name + ", at risk: " + risk.reason));
    }
    if (view.at_risk.size() > k_most) {
        out.text(printable(view.lease.name) + ", at risk: and " + std::to_string(view.at_risk.size() - k_most) +
                 " more, which `drawhitch show` names");
    }
}

term::Row row_of(const flow::LeaseView& view, WallTime now) {
    const model::Lease& lease = view.lease;
    return {Cell::name(lease.name),
            Cell::text(lease.profile),
            state_cell(lease.state),
            money_cell(lease.price_hour, lease.currency),
            money_cell(view.spent, lease.currency),
            Cell::text(lease.currency),
            time_cell(lease.began, now),
            time_cell(lease.last_contact, now),
            clocks_cell(view.clocks, now),
            short_risks_cell(view.at_risk),
            Cell::integer(lease.id)};
}

// A box that nobody uses goes on billing: that is said, not left to a column.
void warn_about_idle(const Context& context, const flow::LeaseView& view) {
    if (!view.idle_s) return;
    const model::Lease& lease = view.lease;
    std::string text = lease.name + " has had no live run for " + std::to_string(*view.idle_s / 3600) + " h";
    if (lease.price_hour) text += ", and costs " + money_cell(*lease.price_hour * 24, lease.currency).human + " a day";
    context.op.warn(text);
}

Result<Outcome> run_ls(Context& context, const Parsed& parsed) {
    TRY_ASSIGN(const auto place, Workplace::open_to_look(context));
    const auto which = parsed.flag("all") ? ledger::Which::all : ledger::Which::open;
    TRY_ASSIGN(const auto views, flow::view_leases(context.op, place->ledger(), which));
    const WallTime now = context.op.clock.wall();
    {
        term::RowWriter rows = context.out.rows("leases", box_columns());
        for (const flow::LeaseView& view : views)
            rows.add(row_of(view, now));
    }
    for (const flow::LeaseView& view : views) {
        if (context.out.format() == term::Format::table) show_risks(context.out, view);
        warn_about_idle(context, view);
    }
    Outcome outcome;
    if (views.empty()) {
        context.op.note("no box is leased");
        outcome.next.emplace_back("drawhitch help adopt");
    }
    return outcome;
}

}  // namespace

CommandRow ls_command() {
    return CommandRow{
        .verb = "ls",
        .aliases = {"status"},
        .group = Group::inspect,
        .summary = "list the boxes you lease and what they cost",
        .description =
            "Reads the ledger on this machine and asks no box. A lease stays in the list, and its cost\n"
            "counting, until its end is confirmed: \"unconfirmed\" means that it may still bill.",
        .options = {{.names = "-a,--all", .help = "closed leases, too"}},
        .examples = {{"drawhitch ls", "the boxes you lease"},
                     {"drawhitch ls --json | jq '.data.leases[].box'", "their names, for a script"}},
        .handler = run_ls,
    };
}

}  // namespace drawhitch::cli
