#include "base/text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/context.hpp"
#include "cli/parsed.hpp"
#include "cli/project_file.hpp"
#include "core/config/dirs.hpp"
#include "io/ledger/ledger.hpp"
#include "io/term/output.hpp"
#include "io/term/prompt.hpp"

namespace drawhitch::cli {

namespace {

using term::Cell;
using term::Json;

const std::vector<term::Column>& command_columns() {
    static const std::vector<term::Column> k_columns{{.key = "key", .title = "KEY"},
                                                     {.key = "value", .title = "VALUE"}};
    return k_columns;
}

void show_items(Context& context, const ProjectFile& file) {
    term::RowWriter rows = context.out.rows("needs_trust", command_columns());
    for (const config::TrustItem& item : file.needing_trust)
        rows.add({Cell::text(item.key), Cell::name(item.value)});
}

Result<Outcome> revoke(Context& context, ledger::Ledger& ledger, const ProjectFile& file) {
    TRY(ledger.distrust(file.path));
    context.out.text(printable(file.path) + " is not trusted any more");
    context.out.json("trusted", false);
    return Outcome{};
}

Result<Outcome> run_trust(Context& context, const Parsed& parsed) {
    TRY_ASSIGN(const config::Dirs dirs, config::find_dirs(context.environment));
    TRY_ASSIGN(const auto file, find_project_file(context.op, context.directory));
    if (!file) {
        return Error{Code::not_found, "there is no drawhitch.toml in " + printable(context.directory) + " or above it"}
            .then("drawhitch help config");
    }
    TRY_ASSIGN(ledger::Ledger ledger, ledger::Ledger::open(context.op, dirs.state));
    context.out.json("file", Json::name(file->path));
    if (parsed.flag("revoke")) return revoke(context, ledger, *file);
    show_items(context, *file);
    if (file->needing_trust.empty()) {
        context.out.text(printable(file->path) + " asks for nothing that needs trust");
        context.out.json("trusted", true);
        return Outcome{};
    }
    TRY_ASSIGN(const bool already, is_trusted(ledger, *file));
    if (already || context.globals.dry_run || parsed.flag("show")) {
        context.out.text(printable(file->path) + (already ? " is trusted as it is" : " is not trusted"));
        context.out.json("trusted", already);
        return Outcome{};
    }
    TRY_ASSIGN(const bool yes, context.prompt.yes_no(context.op, "Let " + file->path + " do this on this machine?",
                                                     "drawhitch trust --yes"));
    if (!yes) return Error{Code::not_trusted, printable(file->path) + " is not trusted; nothing was changed"};
    TRY(ledger.trust(file->path, file->pin));
    context.out.text(printable(file->path) + " is trusted until it changes");
    context.out.json("trusted", true);
    return Outcome{};
}

}  // namespace

CommandRow trust_command() {
    return CommandRow{
        .verb = "trust",
        .group = Group::manage,
        .summary = "allow what this project's drawhitch.toml asks for",
        .description =
            "A project's file may name commands that run on this machine, commands that run on the box\n"
            "unasked, and variables and files from elsewhere that leave this machine. Until you trust them\n"
            "they are ignored, with a warning. Trust belongs to these very words: when one changes, you are\n"
            "asked again.",
        .options = {{.names = "--show", .help = "only show what the file asks for, and whether it is trusted"},
                    {.names = "--revoke", .help = "trust it no more"}},
        .examples = {{"drawhitch trust --show", "what a cloned project would do"},
                     {"drawhitch trust", "allow it, after a look"}},
        .handler = run_trust,
    };
}

}  // namespace drawhitch::cli
