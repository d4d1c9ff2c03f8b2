#include "flow/down/down.hpp"

#include <optional>

#include "base/text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/context.hpp"
#include "cli/exit_code.hpp"
#include "cli/workplace.hpp"
#include "core/plan/gate_text.hpp"
#include "core/plan/teardown.hpp"
#include "io/term/output.hpp"

namespace drawhitch::cli {

namespace {

using term::Json;

Json reasons_json(const judge::Gate& gate) {
    Json reasons = Json::array();
    for (const judge::Reason& reason : gate.reasons) {
        Json further = Json::array();
        for (const std::string& command : reason.further)
            further.push(Json::name(command));
        Json ways = Json::array();
        for (const judge::Way& way : reason.ways)
            ways.push(Json::object().set("when", way.when).set("command", Json::name(way.command)));
        Json row = Json::object();
        row.set("id", reason.id)
            .set("subject", Json::name(reason.subject))
            .set("text", reason.text)
            .set("next", Json::name(reason.next))
            .set("further", std::move(further))
            .set("ways", ways)
            .set("acceptable", reason.acceptable)
            .set("run", reason.run.empty() ? Json{} : Json::name(reason.run));
        reasons.push(row);
    }
    return reasons;
}

std::string_view word_of(judge::Fate fate) {
    switch (fate) {
        case judge::Fate::dies_proven:
            return "dies-proven";
        case judge::Fate::dies_given_up:
            return "dies-given-up";
        case judge::Fate::dies_declared:
            return "dies-declared";
        case judge::Fate::survives:
            return "survives";
    }
    return "";
}

Json amount(const std::optional<double>& value) {
    return value ? Json{*value} : Json{};
}

Json plan_json(const judge::Gate& gate, const std::string& currency) {
    Json fates = Json::array();
    for (const judge::FateLine& fate : gate.fates) {
        Json row = Json::object();
        row.set("fate", word_of(fate.fate)).set("what", fate.what);
        fates.push(row);
    }
    Json billing = Json::array();
    for (const judge::Billing& bill : gate.billing) {
        Json row = Json::object();
        row.set("what", bill.what).set("per_day", amount(bill.per_day)).set("per_month", amount(bill.per_month));
        billing.push(row);
    }
    Json remarks = Json::array();
    for (const std::string& remark : gate.remarks)
        remarks.push(remark);
    Json plan = Json::object();
    plan.set("fates", fates).set("billing", billing).set("currency", currency).set("remarks", remarks);
    return plan;
}

Json list_json(const std::vector<std::string>& words) {
    Json list = Json::array();
    for (const std::string& word : words)
        list.push(Json::name(word));
    return list;
}

void show_gate(term::Output& out, const judge::Gate& judged, const std::string& currency) {
    Json gate = Json::object();
    gate.set("open", judged.open).set("reasons", reasons_json(judged));
    out.json("gate", gate);
    out.json("plan", plan_json(judged, currency));
}

void show(Context& context, const flow::DownReport& report) {
    term::Output& out = context.out;
    Json end = Json::object();
    end.set("state", flow::name_of(report.state)).set("proof", list_json(report.proof));
    end.set("by_hand", report.state == flow::EndState::unconfirmed ? Json{report.by_hand} : Json{});
    out.json("box", Json::name(report.lease.name));
    show_gate(out, report.gate, report.lease.currency);
    out.json("end", end);
    out.json("removed", list_json(report.removed));
    out.json("not_removed", list_json(report.kept));
    out.json("report", report.report_file.empty() ? Json{} : Json::name(report.report_file));
}

Error closed(const Context& context, const judge::Gate& gate) {
    const std::string reasons = "the gate is closed (" + counted(plan::told_reasons(gate), "reason") + " above)";
    return Error{Code::gate_closed,
                 context.globals.dry_run ? "this was a dry run; " + reasons : reasons + ", and nothing was destroyed"}
        .then(plan::gate_next(gate));
}

Result<Outcome> conclude(Context& context, const flow::DownReport& report) {
    const std::string name = shell_word(report.lease.name);
    const std::string close = "drawhitch lease close " + name;
    switch (report.state) {
        case flow::EndState::not_asked:
            if (report.gate.open) return Outcome{.exit = exit_code::k_ok, .next = {report.gate.again}};
            return closed(context, report.gate);
        case flow::EndState::unconfirmed:
            for (const std::string& line : report.proof)
                context.out.words("Not confirmed: " + line + ".");
            context.out.words("Now, by hand: " + printable(report.by_hand));
            context.out.words("Until you say that it ended, " + printable(report.lease.name) +
                              " stays in `drawhitch ls`, and its cost is counted.");
            if (!report.report_file.empty()) context.out.text("Report: " + printable(report.report_file));
            return Outcome{.exit = exit_code::k_unconfirmed, .next = {close}};
        case flow::EndState::ended:
            for (const std::string& line : report.proof)
                context.out.words("Ended: " + line + ".");
            if (!report.report_file.empty()) context.out.text("Report: " + printable(report.report_file));
            return Outcome{};
    }
    return Outcome{};
}

Result<Outcome> run_down(Context& context, const Parsed& parsed) {
    TRY_ASSIGN(const auto place, Workplace::open(context));
    TRY_ASSIGN(const auto here, place->target(parsed));
    flow::DownOptions options;
    options.lose = parsed.list("lose");
    options.kill_runs = parsed.list("kill-run");
    options.accept = parsed.list("accept");
    options.confirm = parsed.text("confirm").value_or("");
    std::optional<judge::Gate> judged;
    options.show = [&](const flow::DownPlan& plan) {
        judged = plan.gate;
        for (const std::string& line : plan::teardown_lines(plan.lease.name, plan.lease.currency, plan.gate)) {
            if (plan::stays_whole(line)) {
                context.out.text(line);
            } else {
                context.out.words(line);
            }
        }
        context.out.flush();
    };
    const auto report = flow::down(context.op, place->deps(), here.lease, options);
    // Nobody to ask, or the answer was no: what was found stays worth reading.
    if (!report && judged) show_gate(context.out, *judged, here.lease.currency);
    if (!report) return report.error();
    show(context, *report);
    return conclude(context, *report);
}

}  // namespace

CommandRow down_command() {
    return CommandRow{
        .verb = "down",
        .aliases = {"terminate", "destroy", "release"},
        .group = Group::life_cycle,
        .summary = "end a box, once all that must be kept is proven",
        .description =
            "Looks at the box now: every run must have ended, every result must be in a receipt or at a\n"
            "place that survives, and nothing that no run, release or cache explains may die unseen. The\n"
            "plan comes first: what dies, what survives, what keeps billing. A closed gate is exit 4, and\n"
            "nothing was destroyed; --yes never opens it. It opens by names alone: --lose for data,\n"
            "--kill-run for a live run, --accept for a finding.\n"
            "\n"
            "A box without an API is then yours to end by hand: exit 9, until `drawhitch lease close`.",
        .positionals = {{.name = "BOX", .help = "a name from ls", .box_optional = true}},
        .options =
            {{.names = "--lose",
              .kind = OptionKind::list,
              .metavar = "PATH",
              .help = "give up what lies at or below this absolute path on the box"},
             {.names = "--kill-run", .kind = OptionKind::list, .metavar = "RUN", .help = "stop this live run first"},
             {.names = "--accept",
              .kind = OptionKind::list,
              .metavar = "RULE",
              .help = "accept a finding, as its reason names it (process:4711)"},
             {.names = "--confirm",
              .kind = OptionKind::text,
              .metavar = "BOX",
              .help = "the box's name, where it would have to be typed"}},
        .examples = {{"drawhitch down b1 -n", "what would die, survive and keep billing"},
                     {"drawhitch down b1", "look, show the plan, ask"},
                     {"drawhitch down b1 --lose /data/old --confirm b1", "for a script that gives up /data/old"}},
        .handler = run_down,
    };
}

}  // namespace drawhitch::cli
