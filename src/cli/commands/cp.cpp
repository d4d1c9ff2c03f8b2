#include <algorithm>

#include "base/text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/context.hpp"
#include "cli/limit_view.hpp"
#include "cli/workplace.hpp"
#include "flow/cp.hpp"
#include "flow/lease_word.hpp"
#include "io/term/output.hpp"

namespace drawhitch::cli {

namespace {

using term::Cell;

const std::vector<term::Column>& copied_columns() {
    static const std::vector<term::Column> k_columns{
        {.key = "path", .title = "PATH"},
        {.key = "bytes", .title = "SIZE", .align = term::Align::right},
        {.key = "sha256", .title = "SHA256", .machine_only = true},
        {.key = "state", .title = "STATE"},
        {.key = "why", .title = "WHY", .wraps = true},
    };
    return k_columns;
}

struct Side {
    std::string box{};  // empty: this machine
    std::string path{};
};

// "b1:data/x" is on a box; "./b1:x" and "/a:b" are here, and so is any name without a colon.
Side side_of(const std::string& word) {
    const std::size_t colon = word.find(':');
    const std::size_t slash = word.find('/');
    if (colon == std::string::npos || colon == 0 || slash < colon) return {{}, word};
    return {word.substr(0, colon), word.substr(colon + 1)};
}

std::string typed(const Parsed& parsed, std::string_view side) {
    return parsed.arguments().one(side).value_or("");
}

// A box's name without its colon is a path here like any other word.
Error not_one_box(Workplace& place, const Parsed& parsed) {
    Error error{Code::usage, "cp copies between this machine and a box: exactly one side is BOX:PATH"};
    const std::string from = typed(parsed, "FROM");
    const std::string to = typed(parsed, "TO");
    const auto is_box = [&place](const std::string& word) {
        const auto lease = flow::find_lease_word(place.ledger(), word);
        return lease && lease->has_value();
    };
    if (!side_of(from).box.empty() || (!is_box(to) && !is_box(from))) return std::move(error).then("drawhitch help cp");
    const std::string& meant = is_box(to) ? to : from;
    const std::string line =
        "drawhitch cp " + shell_word(is_box(to) ? from : from + ":") + " " + shell_word(is_box(to) ? to + ":" : to);
    return std::move(error)
        .because("did you mean " + printable(meant) + ":, the home directory on the box " + printable(meant) + "?")
        .then(line);
}

Result<flow::CpOptions> cp_options(const Context& context, Workplace& place, const Parsed& parsed) {
    const Side from = side_of(typed(parsed, "FROM"));
    const Side to = side_of(typed(parsed, "TO"));
    if (from.box.empty() == to.box.empty()) return not_one_box(place, parsed);
    flow::CpOptions options{};
    options.to_box = from.box.empty();
    options.again = "drawhitch cp " + shell_word(typed(parsed, "FROM")) + " " + shell_word(typed(parsed, "TO"));
    options.box = options.to_box ? to.box : from.box;
    options.box_path = options.to_box ? to.path : from.path;
    const std::string& here = options.to_box ? from.path : to.path;
    options.local_path = here.starts_with('/') ? here : context.directory + "/" + here;
    if (here == "." || here.ends_with("/.")) options.local_path.pop_back();
    return options;
}

struct Count {
    std::uint64_t files{0};
    std::uint64_t bytes{0};
    void add(const flow::CopiedFile& file) {
        ++files;
        bytes += file.size;
    }
    [[nodiscard]] std::string text() const { return counted(files, "file") + ", " + human_bytes(bytes); }
};

struct Counts {
    Count all{};
    Count copied{};
    Count kept{};
    Count planned{};
};

Counts count(const flow::CpReport& report) {
    Counts counts;
    for (const flow::CopiedFile& file : report.files) {
        counts.all.add(file);
        if (file.planned) counts.planned.add(file);
        if (file.state == flow::FileState::pulled) counts.copied.add(file);
        if (file.state == flow::FileState::kept) counts.kept.add(file);
    }
    return counts;
}

std::string_view state_of(const flow::CopiedFile& file) {
    if (file.planned) return "planned";
    if (file.state == flow::FileState::pulled) return "copied";
    if (file.state == flow::FileState::kept) return "already there";
    return flow::name_of(file.state);
}

// People are told what is not as it should be; the rest is a number. Machines get every row.
void show_files(term::Output& out, const flow::CpReport& report) {
    const bool all = out.format() != term::Format::table || report.planned;
    term::RowWriter rows = out.rows("files", copied_columns());
    for (const flow::CopiedFile& file : report.files) {
        const bool good = file.state == flow::FileState::pulled || file.state == flow::FileState::kept;
        if (!all && good) continue;
        rows.add({Cell::name(file.path), Cell::bytes(file.size),
                  file.sha256.empty() ? Cell::none() : Cell::text(file.sha256), Cell::text(state_of(file)),
                  file.why.empty() ? Cell::none() : Cell::text(file.why)});
    }
}

std::string summary(const flow::CpReport& report, const Counts& counts) {
    if (report.planned)
        return "would copy " + counts.planned.text() +
               (report.held == 0 ? "" : ", " + human_bytes(report.held) + " of which an interrupted copy left there") +
               "; this was a dry run, and nothing was changed";
    if (!report.stopped) return "copied " + counts.copied.text() + ", hashes equal on both sides";
    return std::string{report.problem && report.problem->code == Code::cancelled ? "interrupted" : "stopped early"} +
           ": " + std::to_string(counts.copied.files + counts.kept.files) + " of " + counted(counts.all.files, "file") +
           (counts.all.files == 1 ? " is" : " are") + " whole at the destination; " + human_bytes(report.arrived) +
           " of " + human_bytes(counts.all.bytes) + " arrived, and the same command takes up the rest";
}

// Names that a script must not miss either.
void show_replaced(Context& context, const flow::CpReport& report) {
    term::Json list = term::Json::array();
    for (const std::string& path : report.replaced)
        list.push(term::Json::name(path));
    context.out.json("replaced", list);
    if (report.planned && !report.replaced.empty())
        context.out.text("would replace other content under " + counted(report.replaced.size(), "name") +
                         " at the destination");
}

Result<Outcome> run_cp(Context& context, const Parsed& parsed) {
    TRY_ASSIGN(const auto place, Workplace::open(context));
    if (const auto limit = parsed.text("limit")) TRY(place->limit_bandwidth(*limit));
    TRY_ASSIGN(const auto options, cp_options(context, *place, parsed));
    TRY_ASSIGN(const auto report, flow::cp(context.op, place->deps(), options));
    const Counts counts = count(report);
    show_files(context.out, report);
    context.out.text(summary(report, counts));
    if (report.planned) {
        const std::string words =
            limited(place->deps(), counts.planned.bytes - std::min(report.held, counts.planned.bytes));
        if (!words.empty()) context.out.text(words.substr(2));
    }
    context.out.json("limit", limit_json(place->deps()));
    if (counts.kept.files > 0) context.out.text(counted(counts.kept.files, "file") + " already there, the same");
    show_replaced(context, report);
    context.out.value("destination", "to", Cell::name(report.destination));
    context.out.json("planned", report.planned);
    context.out.json("planned_bytes", counts.planned.bytes - std::min(report.held, counts.planned.bytes));
    context.out.json("held_bytes", report.held);
    context.out.json("arrived_bytes", report.arrived);
    context.out.json("wire_bytes", report.wire.sent + report.wire.received);
    if (report.problem) return *report.problem;
    return Outcome{};
}

}  // namespace

CommandRow cp_command() {
    return CommandRow{
        .verb = "cp",
        .group = Group::inspect,
        .summary = "copy files to or from a box, verified",
        .description =
            "One side is BOX:PATH, the other a path here; a path on the box that is not absolute starts\n"
            "at the home directory there. Directories are copied with all below them. Every byte is\n"
            "hashed on both sides, and an interrupted copy is taken up again by the same command. Files that\n"
            "would be replaced by other content are shown and asked about; --yes answers. Releases and the\n"
            "records of runs on the box are never written to. From a box whose lease has ended, BOX@LEASE:PATH\n"
            "copies as long as it is still there under the same key.",
        .positionals = {{.name = "FROM", .help = "BOX:PATH or a path here"},
                        {.name = "TO", .help = "the other side; a directory receives the source under its own name"}},
        .options = {{"--limit", OptionKind::text, "RATE",
                     "at most so much: 20M or 500k (bytes a second), 160mbit, none"}},
        .examples = {{"drawhitch cp -n data b1:data/", "what would be copied, and what it would replace"},
                     {"drawhitch cp b1:/workspace/data/labels.csv .", "bring one file"},
                     {"drawhitch cp vocab b1:data/", "send a directory into ~/data of the box"}},
        .handler = run_cp,
    };
}

}  // namespace drawhitch::cli
