#include "flow/doctor.hpp"

#include "base/text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/context.hpp"
#include "cli/workplace.hpp"
#include "io/term/output.hpp"

namespace drawhitch::cli {

namespace {

using term::Cell;

const std::vector<term::Column>& finding_columns() {
    static const std::vector<term::Column> k_columns{
        {.key = "area", .title = "WHERE"},       {.key = "rule", .title = "WHAT"},
        {.key = "verdict", .title = "VERDICT"},  {.key = "evidence", .title = "EVIDENCE", .wraps = true},
        {.key = "advice", .machine_only = true},
    };
    return k_columns;
}

void show(Context& context, const flow::DoctorReport& report) {
    {
        term::RowWriter rows = context.out.rows("findings", finding_columns());
        for (const flow::Examined& examined : report.findings) {
            const judge::Finding& finding = examined.finding;
            rows.add({Cell::text(examined.area), Cell::text(finding.rule), Cell::text(judge::name_of(finding.grade)),
                      Cell::text(finding.evidence), Cell::text(finding.advice)});
        }
    }
    for (const flow::Examined& examined : report.findings) {
        const judge::Finding& finding = examined.finding;
        const bool matters = finding.grade == judge::Grade::warn || finding.grade == judge::Grade::fail;
        if (matters && !finding.advice.empty()) context.op.note(finding.rule + ": " + printable(finding.advice));
    }
}

Result<Outcome> run_doctor(Context& context, const Parsed& parsed) {
    TRY_ASSIGN(const auto place, Workplace::open_to_look(context));
    std::optional<model::Lease> lease;
    auto here = place->target(parsed);
    if (here) {
        lease = std::move(here->lease);
    } else if (!parsed.words().empty() || here.error().code != Code::usage) {
        return std::move(here).error();
    }
    TRY_ASSIGN(const flow::DoctorReport report, flow::doctor(context.op, place->deps(), place->connector(), lease));
    show(context, report);
    std::vector<judge::Finding> findings;
    for (const flow::Examined& examined : report.findings)
        findings.push_back(examined.finding);
    const judge::Grade verdict = judge::worst(findings);
    context.out.json("verdict", judge::name_of(verdict));
    if (report.failed) return *report.failed;
    if (verdict == judge::Grade::fail) {
        return Error{Code::unhealthy,
                     (lease ? printable(lease->name) : "this machine") + " is not fit for use as it is"}
            .because("see the rows marked FAIL");
    }
    return Outcome{};
}

}  // namespace

CommandRow doctor_command() {
    return CommandRow{
        .verb = "doctor",
        .group = Group::life_cycle,
        .summary = "find out what works and what is in the way",
        .description =
            "Looks at this machine, the connection and the box, in that order, and says for each thing\n"
            "whether it works, with the evidence. Without BOX it is the project's box, or the only one that\n"
            "is leased; where there is neither, only this machine is looked at. Ends with 0\n"
            "when nothing failed, 7 when something did, and with the connection's own code when the box\n"
            "cannot be reached.",
        .positionals = {{.name = "BOX", .help = "a name from ls", .arity = Arity::optional, .box_optional = true}},
        .examples = {{"drawhitch doctor b1", "before the first push"}, {"drawhitch doctor b1 --json", "for scripts"}},
        .handler = run_doctor,
    };
}

}  // namespace drawhitch::cli
