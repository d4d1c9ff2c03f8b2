#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/context.hpp"
#include "cli/retype.hpp"
#include "cli/structure_cell.hpp"
#include "cli/workplace.hpp"
#include "core/plan/home_names.hpp"
#include "flow/lease_word.hpp"
#include "flow/project_check.hpp"
#include "flow/pull.hpp"
#include "io/term/output.hpp"

namespace drawhitch::cli {

namespace {

using term::Cell;
using term::Json;

const std::vector<term::Column>& pulled_columns() {
    static const std::vector<term::Column> k_columns{
        {.key = "path", .title = "PATH"},
        {.key = "bytes", .title = "SIZE", .align = term::Align::right},
        {.key = "sha256", .title = "SHA256", .machine_only = true},
        {.key = "state", .title = "STATE"},
        {.key = "structure", .title = "STRUCTURE"},
        {.key = "certified", .title = "CERTIFIED"},
        {.key = "unit", .title = "UNIT", .machine_only = true},
        {.key = "class", .title = "CLASS", .machine_only = true},
        {.key = "why", .title = "WHY", .wraps = true},
    };
    return k_columns;
}

std::string_view state_of(const flow::PulledFile& file) {
    return file.planned ? std::string_view{"planned"} : flow::name_of(file.state);
}

bool is_good(const flow::PulledFile& file) {
    return file.certified && file.why.empty();
}

void show_files(term::Output& out, const flow::PullReport& report, bool planned) {
    // People are told what is not as it should be; the rest is a number. Machines get every row.
    const bool all = out.format() != term::Format::table || planned;
    term::RowWriter rows = out.rows("files", pulled_columns());
    for (const flow::PulledFile& file : report.files) {
        if (!all && is_good(file)) continue;
        rows.add({Cell::name(file.entry.path), Cell::bytes(file.entry.size),
                  file.entry.sha256.empty() ? Cell::none() : Cell::text(file.entry.sha256), Cell::text(state_of(file)),
                  structure_cell(file.entry.path, file.structure), Cell::boolean(file.certified),
                  Cell::name(file.entry.unit), Cell::text(model::name_of(file.entry.wanted)),
                  file.why.empty() ? Cell::none() : Cell::text(file.why)});
    }
}

Json receipt_json(const model::Receipt& receipt, WallTime now) {
    std::uint64_t bytes = 0;
    for (const model::ReceiptEntry& entry : receipt.files) {
        bytes += entry.file.size;
    }
    Json json = Json::object();
    json.set("id", receipt.id).set_time("made", receipt.made, now).set("directory", Json::name(receipt.directory));
    return json.set("files", receipt.files.size()).set("bytes", bytes);
}

void show_summary(Context& context, const flow::PullReport& report) {
    term::Output& out = context.out;
    const auto fetched = std::count_if(report.files.begin(), report.files.end(), [](const flow::PulledFile& f) {
        return f.state == flow::FileState::pulled || f.state == flow::FileState::unsettled;
    });
    const auto kept = std::count_if(report.files.begin(), report.files.end(),
                                    [](const flow::PulledFile& f) { return f.state == flow::FileState::kept; });
    const auto proven = std::count_if(report.units.begin(), report.units.end(),
                                      [](const flow::PulledUnit& u) { return u.proven && !u.rotated; });
    for (const proto::FileEntry& entry : report.left_out) {
        context.op.warn("left on the box: " + printable(plan::work_name(entry.path)) +
                        " is no regular file that can be read");
    }
    for (const flow::PulledUnit& unit : report.units) {
        if (unit.rotated) context.op.note("rotated away while it was pulled: " + printable(unit.name));
    }
    out.text("fetched " + counted(static_cast<std::uint64_t>(fetched), "file") + ", " +
             human_bytes(report.tally.fetched) + "; " + std::to_string(kept) + (kept == 1 ? " was" : " were") +
             " here already; " + std::to_string(proven) + " of " + counted(report.units.size(), "unit") + " proven");
    out.value("directory", "in", Cell::name(report.directory));
    out.value("run", "run", Cell::name(report.run));
    out.json("receipt", report.receipt ? receipt_json(*report.receipt, context.op.clock.wall()) : Json{});
    out.json("wire_bytes", report.tally.wire.sent + report.tally.wire.received);
    out.json("fetched_bytes", report.tally.fetched);
    out.json("resumed_bytes", report.tally.resumed);
    out.json("repeated_bytes", report.tally.repeated);
    out.json("reconnects", report.tally.reconnects);
}

void warn_of_gaps(const Context& context, const flow::PullReport& report) {
    if (report.no_roster) {
        context.op.warn("run " + report.run + " has no roster: nobody said what it must leave behind");
    }
    for (const model::RosterItem& item : report.unmatched) {
        const std::string what = "nothing of run " + report.run + " matches \"" + printable(item.pattern) + "\"";
        item.wanted == model::RosterClass::must ? context.op.warn(what) : context.op.note(what);
    }
}

// Nobody may miss that a file of theirs has another name now.
void tell_moved_aside(Context& context, const flow::PullReport& report, bool planned) {
    Json list = Json::array();
    for (const disk::MovedAside& moved : report.moved_aside) {
        list.push(Json::object().set("path", Json::name(moved.path)).set("to", Json::name(moved.to)));
        context.op.warn(printable(moved.path) + " here is not as a pull left it: it " + (planned ? "would be" : "was") +
                        " moved aside to " + printable(moved.to));
    }
    context.out.json("moved_aside", list);
}

// Warned of before the first byte came.
void show_elsewhere(Context& context, const flow::PullReport& report) {
    Json list = Json::array();
    for (const flow::ElsewhereCopy& copy : report.elsewhere)
        list.push(Json::object()
                      .set("directory", Json::name(copy.directory))
                      .set("files", copy.files)
                      .set("bytes", copy.bytes));
    context.out.json("elsewhere", list);
}

// A name that the pull keeps for itself is told once, with all that lies below it.
void tell_renamed(Context& context, const flow::PullReport& report, bool planned) {
    std::map<std::string, std::string> renamed;
    for (const flow::PulledFile& file : report.files) {
        const std::string on_box = plan::work_name(file.entry.path);
        if (on_box == file.entry.path) continue;
        renamed[on_box.substr(0, on_box.find('/'))] = file.entry.path.substr(0, file.entry.path.find('/'));
    }
    Json list = Json::array();
    for (const auto& [on_box, here] : renamed) {
        list.push(Json::object().set("path", Json::name(on_box)).set("to", Json::name(here)));
        context.op.warn("the run's " + printable(on_box) + (planned ? " would be called " : " is called ") +
                        printable(here) + " here: the pull keeps that name for itself");
    }
    context.out.json("renamed", list);
}

std::optional<parse::NameRules> name_rules(std::string_view word) {
    if (word == "linux") return parse::NameRules{};
    if (word == "macos") return parse::NameRules{.ignores_case = true, .ignores_unicode_form = true};
    if (word == "windows") return parse::NameRules{.ignores_case = true};
    return std::nullopt;
}

// The word behind BOX names a run if there is one of that name; what looks like a pattern is one.
Result<flow::PullOptions> pull_options(Context& context, const Parsed& parsed, Workplace& place,
                                       const Workplace::Target& target) {
    flow::PullOptions options{};
    options.box = flow::word_of(target.lease);
    options.patterns = target.rest.many("PATTERN");
    if (const auto word = target.rest.one("RUN")) {
        const bool is_run = place.ledger().run_by_name(target.lease.id, *word).has_value();
        const bool is_pattern = word->find_first_of("*?[/.") != std::string::npos;
        if (is_run || !is_pattern) {
            options.run = *word;
        } else {
            options.patterns.insert(options.patterns.begin(), *word);
        }
    }
    for (const std::string& name : parsed.list("class")) {
        const auto wanted = model::roster_class(name);
        if (!wanted) return Error{Code::usage, "--class is must, nice or scratch, not " + printable(name)};
        options.classes.push_back(*wanted);
    }
    for (const std::string& pattern : parsed.list("out"))
        options.declare.push_back({pattern, model::RosterClass::must});
    const std::int64_t newest = parsed.integer("newest").value_or(0);
    if (newest < (parsed.integer("newest") ? 1 : 0) || newest > 1'000'000)
        return Error{Code::usage, "--newest takes a number from 1 up"};
    options.newest = static_cast<int>(newest);
    if (const auto to = parsed.text("to")) options.to = to->starts_with('/') ? *to : context.directory + "/" + *to;
    options.all = parsed.flag("all");
    options.rehash = parsed.flag("rehash");
    options.names = name_rules(parsed.text("local-fs").value_or("auto"));
    return options;
}

// One project's results must not land in another directory only because the command was typed there.
Status check_place(Context& context, Workplace& place, const Parsed& parsed, const Workplace::Target& target) {
    std::vector<std::string> words = target.rest.many("PATTERN");
    if (const auto run = target.rest.one("RUN")) words.insert(words.begin(), *run);
    const auto elsewhere = [&](const std::string& directory) {
        return retyped(parsed, flow::word_of(target.lease), "directory", directory, words).value_or("");
    };
    return flow::check_project(context.op, place.deps(), target.lease,
                               {.sends_code = false, .lands_files = true, .in_directory = elsewhere});
}

Result<Outcome> run_pull(Context& context, const Parsed& parsed) {
    TRY_ASSIGN(const auto place, Workplace::open(context));
    TRY_ASSIGN(const auto target, place->target_to_read(parsed));
    TRY_ASSIGN(const auto options, pull_options(context, parsed, *place, target));
    if (options.to.empty()) TRY(check_place(context, *place, parsed, target));
    TRY_ASSIGN(const auto report, flow::pull(context.op, place->deps(), options));
    const bool planned = place->deps().dry_run;
    warn_of_gaps(context, report);
    tell_moved_aside(context, report, planned);
    show_elsewhere(context, report);
    tell_renamed(context, report, planned);
    show_files(context.out, report, planned);
    if (planned) {
        context.out.text("would fetch " + human_bytes(report.planned_bytes) + " into " + printable(report.directory) +
                         (report.held_bytes == 0 ? ""
                                                 : "; " + human_bytes(report.held_bytes) +
                                                       " lie there already, from a pull that was interrupted"));
        context.out.json("held_bytes", report.held_bytes);
        context.out.json("planned_bytes", report.planned_bytes);
        return Outcome{};
    }
    show_summary(context, report);
    if (report.problem) return *report.problem;
    return Outcome{.exit = 0, .next = {"drawhitch verify " + shell_word(report.directory)}};
}

}  // namespace

CommandRow pull_command() {
    return CommandRow{
        .verb = "pull",
        .group = Group::life_cycle,
        .summary = "bring home what a run has made, and prove that it arrived whole",
        .description =
            "Fetches the files of the run's roster, its log and its record; what is here already and\n"
            "equal is kept. Every byte is hashed on both sides, every archive is checked for wholeness,\n"
            "and what is proven goes into a receipt, unit by unit (a checkpoint directory is one unit).\n"
            "An interrupted pull is taken up again by the same command. MANIFEST.json and SHA256SUMS\n"
            "lie beside the files. A file of yours under a name that the box has too (edited since the\n"
            "last pull, or never pulled) is moved aside to NAME.kept-1, and told; where no pull of the\n"
            "run worked before, the pull is refused instead. A file of the run's that is called as one of\n"
            "the pull's own (MANIFEST.json, SHA256SUMS, .drawhitch, _run) gets the ending .box here.\n"
            "\n"
            "A run that was launched without --out is declared here: --out adds to its roster for good,\n"
            "and '**' means all that it made.",
        .positionals = {{.name = "BOX", .help = "a name from ls, or BOX@LEASE of an ended one", .box_optional = true},
                        {.name = "RUN", .help = "a name from ps; the newest run if left out", .arity = Arity::optional},
                        {.name = "PATTERN",
                         .help = "only units with a file that matches, as in the roster",
                         .arity = Arity::any}},
        .options = {{"--to", OptionKind::path, "DIR", "where the files go (pulls/BOX/RUN in the project)"},
                    {"--out", OptionKind::list, "PATTERN", "declare now what the run must leave behind, and pull it"},
                    {"--newest", OptionKind::integer, "N", "of numbered units that differ in the number, the newest N"},
                    {"--class", OptionKind::list, "CLASS", "must, nice or scratch; must and nice if left out"},
                    {"--all", OptionKind::flag, "", "every file of the run's directory, whatever its roster says"},
                    {"--rehash", OptionKind::flag, "", "let the box read again what its digest cache knows"},
                    {"--local-fs", OptionKind::text, "KIND", "how names behave where files land (auto)",
                     "auto|linux|macos|windows"}},
        .examples = {{"drawhitch pull b1 r1", "everything the run must leave behind"},
                     {"drawhitch pull b1 r1 'best/**' --newest 1", "the best model alone"},
                     {"drawhitch pull b1 r1 --out 'ckpt/**'", "r1 was launched without saying what to keep"},
                     {"drawhitch pull b1 -n", "what would come, and how much"}},
        .handler = run_pull,
    };
}

}  // namespace drawhitch::cli
