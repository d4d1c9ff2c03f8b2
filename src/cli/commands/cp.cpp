#include <algorithm>

#include "base/text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/context.hpp"
#include "cli/workplace.hpp"
#include "flow/cp.hpp"
#include "io/term/output.hpp"

namespace drawhitch::cli {

namespace {

using term::Cell;

const std::vector<term::Column>& file_columns() {
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

Result<flow::CpOptions> options_of(const Context& context, const Parsed& parsed) {
    const Side from = side_of(parsed.arguments().one("FROM").value_or(""));
    const Side to = side_of(parsed.arguments().one("TO").value_or(""));
    if (from.box.empty() == to.box.empty()) {
        return Error{Code::usage, "cp copies between this machine and a box: exactly one side is BOX:PATH"}.then(
            "drawhitch help cp");
    }
    flow::CpOptions options{};
    options.to_box = from.box.empty();
    options.again = "drawhitch cp " + shell_word(parsed.arguments().one("FROM").value_or("")) + " " +
                    shell_word(parsed.arguments().one("TO").value_or(""));
    options.box = options.to_box ? to.box : from.box;
    options.box_path = options.to_box ? to.path : from.path;
    const std::string& here = options.to_box ? from.path : to.path;
    options.local_path = here.starts_with('/') ? here : context.directory + "/" + here;
    if (here == "." || here.ends_with("/.")) options.local_path.pop_back();
    return options;
}

Result<Outcome> run_cp(Context& context, const Parsed& parsed) {
    TRY_ASSIGN(const auto place, Workplace::open(context));
    TRY_ASSIGN(const auto options, options_of(context, parsed));
    TRY_ASSIGN(const auto report, flow::cp(context.op, place->deps(), options));
    std::uint64_t bytes = 0;
    std::size_t good = 0;
    std::size_t kept = 0;
    {
        const bool all = context.out.format() != term::Format::table;
        term::RowWriter rows = context.out.rows("files", file_columns());
        for (const flow::CopiedFile& file : report.files) {
            const bool copied = file.state == flow::FileState::pulled;
            if (copied) {
                ++good;
                bytes += file.size;
            }
            const bool there = file.state == flow::FileState::kept;
            if (there) ++kept;
            if (!all && (copied || there)) continue;
            rows.add({Cell::name(file.path), Cell::bytes(file.size),
                      file.sha256.empty() ? Cell::none() : Cell::text(file.sha256),
                      Cell::text(copied  ? std::string_view{"copied"}
                                 : there ? std::string_view{"already there"}
                                         : flow::name_of(file.state)),
                      file.why.empty() ? Cell::none() : Cell::text(file.why)});
        }
    }
    context.out.text("copied " + counted(static_cast<std::uint64_t>(good), "file") + ", " + human_bytes(bytes) +
                     ", hashes equal on both sides");
    if (kept > 0) context.out.text(counted(static_cast<std::uint64_t>(kept), "file") + " already there, the same");
    context.out.value("destination", "to", Cell::name(report.destination));
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
        .examples = {{"drawhitch cp b1:/workspace/data/labels.csv .", "bring one file"},
                     {"drawhitch cp vocab b1:data/", "send a directory into ~/data of the box"}},
        .handler = run_cp,
    };
}

}  // namespace drawhitch::cli
