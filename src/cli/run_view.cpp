#include "cli/run_view.hpp"

#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "cli/exit_code.hpp"
#include "flow/run/claim.hpp"
#include "flow/run/watch.hpp"
#include "io/term/output.hpp"

namespace drawhitch::cli {

using term::Align;
using term::Cell;
using term::Json;

namespace {

Cell text_or_none(const std::string& text) {
    return text.empty() ? Cell::none() : Cell::text(printable(text));
}

Cell evidence_cell(const std::vector<std::string>& evidence, WallTime now) {
    Json list = Json::array();
    std::vector<std::string> words;
    for (const std::string& fact : evidence) {
        list.push(Json{fact});
        words.push_back(with_ages(fact, now));
    }
    return Cell::value(std::move(list), printable(join(words, "; ")));
}

}  // namespace

const std::vector<term::Column>& run_columns() {
    static const std::vector<term::Column> k_columns{
        {.key = "box", .title = "BOX"},
        {.key = "run", .title = "RUN"},
        {.key = "verdict", .title = "VERDICT"},
        {.key = "exit_code", .title = "EXIT", .align = Align::right},
        {.key = "signal", .title = "SIGNAL"},
        {.key = "cause", .title = "CAUSE"},
        {.key = "since", .title = "SINCE", .align = Align::right},
        {.key = "progress", .title = "PROGRESS"},
        {.key = "evidence", .machine_only = true},
    };
    return k_columns;
}

const std::vector<term::Column>& change_columns() {
    static const std::vector<term::Column> k_columns = [] {
        std::vector<term::Column> columns{{.key = "at"}};
        std::ranges::copy(run_columns(), std::back_inserter(columns));
        return columns;
    }();
    return k_columns;
}

term::Row change_row(const std::string& box, const flow::RunView& view, WallTime now) {
    term::Row row{Cell::time(now, now)};
    std::ranges::move(run_row(box, view, now), std::back_inserter(row));
    return row;
}

std::string with_ages(const std::string& fact, WallTime now) {
    constexpr std::size_t k_length = 20;  // of 2026-11-27T23:20:05Z
    std::string text;
    for (std::size_t at = 0; at < fact.size();) {
        const auto moment = read_rfc3339(std::string_view{fact}.substr(at, k_length));
        if (moment) {
            text.append(fact, at, k_length).append(" (" + Cell::time(*moment, now).human + ")");
            at += k_length;
        } else {
            text += fact[at++];
        }
    }
    return text;
}

term::Row run_row(const std::string& box, const flow::RunView& view, WallTime now) {
    const model::Verdict& verdict = view.verdict;
    return {Cell::name(box),
            Cell::name(view.run.spec.name),
            Cell::text(model::name_of(verdict.kind)),
            verdict.exit_code ? Cell::integer(*verdict.exit_code) : Cell::none(),
            text_or_none(verdict.signal),
            text_or_none(verdict.cause),
            verdict.since ? Cell::time(*verdict.since, now) : Cell::none(),
            text_or_none(verdict.progress),
            evidence_cell(verdict.evidence, now)};
}

void show_runs(term::Output& out, const std::string& box, const std::vector<flow::RunView>& runs, WallTime now,
               bool evidence) {
    {
        term::RowWriter rows = out.rows("runs", run_columns());
        for (const flow::RunView& view : runs)
            rows.add(run_row(box, view, now));
    }
    if (!evidence || out.for_machines()) return;
    for (const flow::RunView& view : runs) {
        out.text("\n" + run_line(view));
        for (const std::string& fact : view.verdict.evidence)
            out.text("  " + printable(with_ages(fact, now)));
    }
}

std::optional<Error> job_error(const std::string& box, const std::vector<flow::RunView>& runs) {
    for (const auto& [exit, code] : {std::pair{exit_code::k_job_failed, Code::job_failed},
                                     std::pair{exit_code::k_job_stalled, Code::job_stalled}}) {
        for (const flow::RunView& view : runs) {
            if (flow::exit_code_of({view}) != exit) continue;
            return Error{code, "run " + view.run.spec.name + " of " + box + ": " +
                                   std::string(model::name_of(view.verdict.kind))}
                .because(printable(view.verdict.cause))
                .then("drawhitch logs " + box + " " + view.run.spec.name);
        }
    }
    return std::nullopt;
}

Error from_ledger(Error why, const std::vector<flow::RunView>& runs) {
    const bool all_ended = std::all_of(runs.begin(), runs.end(),
                                       [](const auto& view) { return model::is_terminal(view.run.verdict.kind); });
    if (runs.empty()) return why;
    why.message += all_ended ? "; that the " + std::string(runs.size() == 1 ? "run has" : "runs have") +
                                   " ended is known from the ledger alone"
                             : "; what its runs do now is unknown";
    return why;
}

void advise_unbegun(const Op& op, const std::string& box, const std::vector<flow::RunView>& runs,
                    std::vector<std::string>& next) {
    for (const flow::RunView& view : runs) {
        if (!view.never_began) continue;
        op.warn("run " + view.run.spec.name + " never began; " + flow::name_stays_taken(box, view.run.spec.name));
        next.push_back(flow::stop_command(box, view.run.spec.name));
    }
}

std::string run_line(const flow::RunView& view) {
    const model::Verdict& verdict = view.verdict;
    std::string line = view.run.spec.name + " " + std::string(model::name_of(verdict.kind));
    if (!verdict.cause.empty()) line += " (" + verdict.cause + ")";
    if (!verdict.progress.empty()) line += "  " + verdict.progress;
    return printable(line);
}

}  // namespace drawhitch::cli
