#include "base/text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/context.hpp"
#include "cli/lease_view.hpp"
#include "cli/workplace.hpp"
#include "flow/overview.hpp"
#include "flow/run/poll.hpp"
#include "io/term/output.hpp"

namespace drawhitch::cli {

namespace {

using term::Cell;
using term::Json;

const std::vector<term::Column>& runs_of_box_columns() {
    static const std::vector<term::Column> k_columns{
        {.key = "run", .title = "RUN"},
        {.key = "verdict", .title = "VERDICT"},
        {.key = "exit_code", .title = "EXIT"},
        {.key = "since", .title = "SINCE"},
        {.key = "progress", .title = "PROGRESS"},
        {.key = "progress_at", .machine_only = true},
        {.key = "command", .title = "COMMAND", .may_shrink = true},
    };
    return k_columns;
}

Cell command_cell(const std::vector<std::string>& argv) {
    Json list = Json::array();
    for (const std::string& word : argv)
        list.push(Json::name(word));
    return Cell::value(std::move(list), join(argv, " "));
}

// A live job has gone on since.
Cell progress_cell(const flow::KnownProgress& progress, bool ended, WallTime now) {
    if (progress.text.empty()) return Cell::none();
    std::string words = progress.text;
    if (!ended && progress.at) words += " (" + Cell::time(*progress.at, now).human + ")";
    return Cell::value(Json{progress.text}, printable(words));
}

void show_lease(term::Output& out, const flow::LeaseView& view, WallTime now) {
    const model::Lease& lease = view.lease;
    out.value("box", "box", Cell::name(lease.name));
    out.value("profile", "profile", Cell::text(lease.profile));
    out.value("state", "state", state_cell(lease.state));
    out.value("endpoint", "reached at", Cell::value(endpoint_json(lease.endpoint), endpoint_text(lease.endpoint)));
    out.value("project", "project", Cell::name(lease.project));
    out.value("root", "root on box", lease.root.empty() ? Cell::none() : Cell::name(lease.root));
    out.value("began", "began", time_cell(lease.began, now));
    out.value("last_contact", "last contact", time_cell(lease.last_contact, now));
    out.value("price_hour", "price per hour", money_cell(lease.price_hour, lease.currency));
    out.value("spent", "spent", money_cell(view.spent, lease.currency));
    out.json("currency", lease.currency);
    out.value("clocks", "clocks", clocks_cell(view.clocks, now));
    out.value("at_risk", "at risk", risks_cell(view.at_risk));
}

Status show_host_keys(Context& context, const ledger::Ledger& ledger, const model::Lease& lease) {
    TRY_ASSIGN(const auto keys, ledger.host_keys(lease.id));
    Json list = Json::array();
    std::vector<std::string> words;
    for (const model::HostKey& key : keys) {
        list.push(Json::object().set("type", key.type).set("fingerprint", key.fingerprint).set("source", key.source));
        words.push_back(key.type + " " + key.fingerprint);
    }
    context.out.value("host_keys", "host keys", Cell::value(std::move(list), join(words, "; ")));
    return ok();
}

// A name that was taken again must not hide what was done under it before.
Status show_earlier(Context& context, const ledger::Ledger& ledger, const model::Lease& lease) {
    TRY_ASSIGN(const auto leases, ledger.leases(ledger::Which::all));
    Json list = Json::array();
    std::vector<std::string> words;
    for (const model::Lease& other : leases) {
        if (other.name != lease.name || other.id >= lease.id) continue;
        TRY_ASSIGN(const auto runs, ledger.runs(other.id));
        Json names = Json::array();
        std::vector<std::string> told;
        for (const model::Run& run : runs) {
            names.push(run.spec.name);
            told.push_back(run.spec.name);
        }
        list.push(Json::object().set("lease", other.id).set("runs", names));
        words.push_back("lease " + std::to_string(other.id) + (told.empty() ? "" : " (" + join(told, ", ") + ")"));
    }
    if (words.empty()) {
        context.out.json("earlier", list);
    } else {
        context.out.value("earlier", "earlier leases", Cell::value(std::move(list), join(words, "; ")));
    }
    return ok();
}

Result<Outcome> run_show(Context& context, const Parsed& parsed) {
    TRY_ASSIGN(const auto place, Workplace::open_to_look(context));
    TRY_ASSIGN(const auto here, place->target_of_any_time(parsed));
    const model::Lease& lease = here.lease;
    TRY_ASSIGN(const auto view, flow::view_lease(context.op, place->ledger(), lease));
    TRY_ASSIGN(const auto runs, place->ledger().runs(lease.id));
    const WallTime now = context.op.clock.wall();
    show_lease(context.out, view, now);
    TRY(show_host_keys(context, place->ledger(), lease));
    TRY(show_earlier(context, place->ledger(), lease));
    if (!runs.empty()) context.out.text("");
    term::RowWriter rows = context.out.rows("runs", runs_of_box_columns());
    for (const model::Run& run : runs) {
        const model::Verdict& verdict = run.verdict;
        TRY_ASSIGN(const flow::KnownProgress progress, flow::known_progress(place->ledger(), run));
        rows.add({Cell::name(run.spec.name), Cell::text(model::name_of(verdict.kind)),
                  verdict.exit_code ? Cell::integer(*verdict.exit_code) : Cell::none(),
                  verdict.since ? Cell::time(*verdict.since, now) : Cell::none(),
                  progress_cell(progress, model::is_terminal(verdict.kind), now),
                  progress.at ? Cell::time(*progress.at, now) : Cell::none(), command_cell(run.spec.command)});
    }
    return Outcome{};
}

}  // namespace

CommandRow show_command() {
    return CommandRow{
        .verb = "show",
        .group = Group::inspect,
        .summary = "show what is known about one box and its runs",
        .description =
            "Reads the ledger on this machine and asks no box: verdicts are those of the last look.\n"
            "`drawhitch ps` looks again.",
        .positionals = {{.name = "BOX", .help = "a name or number from lease ls, or BOX@LEASE", .box_optional = true}},
        .examples = {{"drawhitch show b1", "endpoint, host keys, cost and runs of b1"}},
        .handler = run_show,
    };
}

}  // namespace drawhitch::cli
