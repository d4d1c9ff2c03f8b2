#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/context.hpp"
#include "cli/structure_cell.hpp"
#include "cli/workplace.hpp"
#include "flow/lease_word.hpp"
#include "flow/pull.hpp"
#include "flow/pull_unfinished.hpp"
#include "flow/verify.hpp"
#include "io/term/output.hpp"

namespace drawhitch::cli {

namespace {

using term::Cell;

const std::vector<term::Column>& verified_columns() {
    static const std::vector<term::Column> k_columns{
        {.key = "path", .title = "PATH"},
        {.key = "bytes", .title = "SIZE", .align = term::Align::right},
        {.key = "sha256", .title = "SHA256", .machine_only = true},
        {.key = "state", .title = "STATE"},
        {.key = "structure", .title = "STRUCTURE"},
        {.key = "why", .title = "WHY", .wraps = true},
    };
    return k_columns;
}

bool is_directory_word(const std::string& word) {
    return word.find('/') != std::string::npos || word == "." || word == "..";
}

std::string absolute(const Context& context, const std::string& path) {
    return path.starts_with('/') ? path : context.directory + "/" + path;
}

bool is_directory(const std::string& path) {
    struct stat found {};
    return ::stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

// What can be wrong is told before hours of reading.
Status check_box(const std::string& word, Workplace& place) {
    TRY_ASSIGN(const auto lease, flow::find_lease_word(place.ledger(), word));
    if (lease) return ok();
    return Error{Code::not_found, "--box: no box is called " + printable(word)}.then("drawhitch ls --all");
}

Result<std::string> existing_directory(const Context& context, const std::string& word) {
    std::string path = absolute(context, word);
    if (is_directory(path)) return path;
    return Error{Code::not_found, "there is no directory " + printable(path)}
        .because("PLACE is a directory that pull has made, or a box; pulls/BOX/RUN of the project is where they land")
        .then("drawhitch ls --all");
}

// The box that is meant where none is named, if it has a run of this name.
Result<std::optional<model::Lease>> usual_box_with(Workplace& place, const std::string& run) {
    TRY_ASSIGN(const auto name, place.usual_box());
    if (!name) return std::optional<model::Lease>{};
    TRY_ASSIGN(auto lease, flow::find_lease_word(place.ledger(), *name));
    if (!lease) return lease;
    TRY_ASSIGN(const auto runs, place.ledger().runs(lease->id));
    const auto has_it = [&](const model::Run& one) { return one.spec.name == run; };
    return std::ranges::any_of(runs, has_it) ? std::move(lease) : std::optional<model::Lease>{};
}

Result<bool> was_pulled_into(Workplace& place, const std::string& directory) {
    const std::string manifest = directory + "/" + std::string{plan::k_manifest_name};
    if (::access(manifest.c_str(), F_OK) == 0) return true;
    TRY_ASSIGN(const auto unfinished, flow::unfinished_pull(place.deps(), directory));
    return unfinished.has_value();
}

// Where nothing is named: what was pulled right here, or else the newest pull of the box that is meant.
Result<std::string> usual_directory(Context& context, Workplace& place) {
    TRY_ASSIGN(const auto name, place.usual_box());
    TRY_ASSIGN(const bool here, was_pulled_into(place, context.directory));
    if (here || !name) return context.directory;
    TRY_ASSIGN(const auto lease, flow::find_lease_word(place.ledger(), *name));
    if (!lease) return context.directory;
    context.box = flow::word_of(*lease);
    TRY_ASSIGN(const auto runs, place.ledger().runs(lease->id));
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
        TRY_ASSIGN(auto directory, flow::default_pull_directory(place.deps(), *lease, run->spec.name));
        TRY_ASSIGN(bool pulled, was_pulled_into(place, directory));
        if (!pulled) {
            TRY_ASSIGN(const auto receipts, place.ledger().receipts(run->id));
            if (receipts.empty()) continue;
            directory = receipts.front().directory;
            TRY_ASSIGN(pulled, was_pulled_into(place, directory));
        }
        if (!pulled) continue;
        context.op.note("verifying run " + run->spec.name + " of " + lease->name + " in " + printable(directory));
        return directory;
    }
    return Error{Code::not_found, "nothing of " + lease->name + " was pulled yet"}.then("drawhitch pull " +
                                                                                        shell_word(context.box));
}

std::string pull_of(const model::Lease& lease, const std::string& run) {
    return "drawhitch pull " + shell_word(flow::word_of(lease)) + " " + shell_word(run);
}

// A path names a pulled directory; otherwise box and run name the place where their pull landed.
Result<flow::VerifyOptions> verify_options(Context& context, const Parsed& parsed, Workplace& place) {
    flow::VerifyOptions options{};
    options.box = parsed.text("box");
    options.rehash = parsed.flag("rehash");
    const auto first = parsed.arguments().one("PLACE");
    const auto run = parsed.arguments().one("RUN");
    if (options.rehash && !options.box) return Error{Code::usage, "--rehash is for the box that --box names"};
    if (options.box) TRY(check_box(*options.box, place));
    if (!first) {
        TRY_ASSIGN(options.directory, usual_directory(context, place));
        return options;
    }
    if (is_directory_word(*first)) {
        if (run) return Error{Code::usage, printable(*first) + " is a directory: a run stands behind a box only"};
        TRY_ASSIGN(options.directory, existing_directory(context, *first));
        return options;
    }
    TRY_ASSIGN(const auto lease, flow::find_lease_word(place.ledger(), *first));
    if (!lease && !run && is_directory(absolute(context, *first))) {
        options.directory = absolute(context, *first);
        return options;
    }
    if (!lease && !run) {
        TRY_ASSIGN(const auto meant, usual_box_with(place, *first));
        if (meant) {
            options.pulled_by = pull_of(*meant, *first);
            TRY_ASSIGN(options.directory, flow::default_pull_directory(place.deps(), *meant, *first));
            return options;
        }
    }
    if (!lease) {
        return Error{Code::not_found,
                     "no box" + std::string{run ? "" : ", run or directory"} + " is called " + printable(*first)}
            .then("drawhitch ls --all");
    }
    TRY_ASSIGN(const auto runs, place.ledger().runs(lease->id));
    if (runs.empty()) return Error{Code::not_found, "no run was ever started on " + lease->name};
    const std::string name = run ? *run : runs.back().spec.name;
    options.pulled_by = pull_of(*lease, name);
    TRY_ASSIGN(options.directory, flow::default_pull_directory(place.deps(), *lease, name));
    return options;
}

Result<Outcome> run_verify(Context& context, const Parsed& parsed) {
    TRY_ASSIGN(const auto place, Workplace::open(context));
    TRY_ASSIGN(const auto options, verify_options(context, parsed, *place));
    TRY_ASSIGN(const auto report, flow::verify(context.op, place->deps(), options));
    std::uint64_t bytes = 0;
    std::size_t good = 0;
    {
        const bool all = context.out.format() != term::Format::table;
        term::RowWriter rows = context.out.rows("files", verified_columns());
        for (const flow::VerifiedFile& file : report.files) {
            if (file.state == flow::VerifyState::good) {
                ++good;
                bytes += file.file.entry.size;
                if (!all && file.why.empty()) continue;
            }
            rows.add({Cell::name(file.file.entry.path), Cell::bytes(file.file.entry.size),
                      Cell::text(file.file.entry.sha256), Cell::text(flow::name_of(file.state)),
                      structure_cell(file.file.entry.path, file.file.structure),
                      file.why.empty() ? Cell::none() : Cell::text(file.why)});
        }
    }
    context.out.text(std::to_string(good) + " of " + counted(report.files.size(), "file") +
                     (good == 1 ? " is" : " are") + " what was pulled: " + human_bytes(bytes));
    context.out.json("directory", term::Json::name(options.directory));
    context.out.json("good", good);
    if (report.problem) return *report.problem;
    return Outcome{};
}

}  // namespace

CommandRow verify_command() {
    return CommandRow{
        .verb = "verify",
        .group = Group::inspect,
        .summary = "check pulled files again, without asking the box",
        .description =
            "Reads every file of a pull, compares it with MANIFEST.json and checks archives for\n"
            "wholeness; a project's load test (pull.verify_cmd) is run again. With --box that box is asked,\n"
            "too, whether it still has the same under the run's name. Where nothing is named it is about\n"
            "the directory you stand in, if a pull worked there, or else the newest pull of your box.",
        .positionals =
            {{.name = "PLACE",
              .help = "a box, a run of the usual box, or a pulled directory (with a slash where a box has its name)",
              .arity = Arity::optional},
             {.name = "RUN", .help = "of that box; its newest if left out", .arity = Arity::optional}},
        .options = {{"--box", OptionKind::text, "BOX", "ask this box, too, whether it still has the same"},
                    {"--rehash", OptionKind::flag, "", "let the box read again what its digest cache knows"}},
        .examples = {{"drawhitch verify", "the newest pull of the usual box"},
                     {"drawhitch verify pulls/b1/r1", "offline, years later"},
                     {"drawhitch verify b1 r1 --box b1", "and the same on the box, now"}},
        .handler = run_verify,
    };
}

}  // namespace drawhitch::cli
