#include "cli/completion.hpp"

#include <unistd.h>

#include "cli/commands/commands.hpp"
#include "cli/context.hpp"
#include "cli/parsed.hpp"
#include "core/config/dirs.hpp"
#include "core/config/load_settings.hpp"
#include "io/disk/profile_store.hpp"
#include "io/ledger/ledger.hpp"
#include "io/term/output.hpp"

namespace drawhitch::cli {

namespace {

Result<Outcome> run_completion(Context& context, const Parsed& parsed) {
    const std::string_view script = completion_script(parsed.arguments().one("SHELL").value_or(""));
    context.out.raw(script);
    context.out.json("script", script);
    return Outcome{};
}

using Names = std::vector<std::string>;

// Asking must leave no trace and say nothing: without a ledger there are no leases.
std::vector<model::Lease> open_leases(const Context& context, std::optional<ledger::Ledger>& ledger) {
    const auto dirs = config::find_dirs(context.environment);
    if (!dirs || ::access((dirs->state + "/ledger.db").c_str(), R_OK) != 0) return {};
    auto opened = ledger::Ledger::open(context.op, dirs->state);
    if (!opened) return {};
    ledger.emplace(std::move(*opened));
    auto leases = ledger->leases(ledger::Which::open);
    return leases ? std::move(*leases) : std::vector<model::Lease>{};
}

Names box_names(const Context& context) {
    std::optional<ledger::Ledger> ledger;
    Names names;
    for (const model::Lease& lease : open_leases(context, ledger))
        names.push_back(lease.name);
    return names;
}

Names run_names(const Context& context, const std::string& box) {
    std::optional<ledger::Ledger> ledger;
    const auto leases = open_leases(context, ledger);
    Names names;
    for (const model::Lease& lease : leases) {
        if (box.empty() ? leases.size() != 1 : lease.name != box) continue;
        const auto runs = ledger->runs(lease.id);
        if (!runs) continue;
        for (const model::Run& run : *runs)
            names.push_back(run.spec.name);
    }
    return names;
}

Names profile_names(const Context& context) {
    const auto dirs = config::find_dirs(context.environment);
    if (!dirs) return {};
    const auto ids = disk::ProfileStore{dirs->config}.ids();
    return ids ? *ids : Names{};
}

Names setting_names() {
    Names names;
    for (const config::SettingRow& row : config::setting_rows())
        names.emplace_back(row.key);
    return names;
}

// Prints "word<tab>summary" lines, and ":files" when file names fit, too.
Result<Outcome> run_complete(Context& context, const Parsed& parsed) {
    const KnownNames known{.boxes = [&context] { return box_names(context); },
                           .runs = [&context](const std::string& box) { return run_names(context, box); },
                           .profiles = [&context] { return profile_names(context); },
                           .settings = setting_names};
    const Completion found = complete(context.registry, parsed.trailing(), known);
    std::string text;
    for (const Candidate& candidate : found.candidates) {
        text += candidate.word + (candidate.summary.empty() ? "" : "\t" + candidate.summary) + "\n";
    }
    if (found.files) text += ":files\n";
    context.out.raw(text);
    return Outcome{};
}

}  // namespace

CommandRow completion_command() {
    return CommandRow{
        .verb = "completion",
        .group = Group::shell,
        .summary = "print the completion script of a shell",
        .positionals = {{.name = "SHELL", .help = "bash, zsh or fish", .choices = "bash|zsh|fish"}},
        .examples = {{"eval \"$(drawhitch completion bash)\"", "switch it on in this bash"},
                     {"drawhitch completion fish | source", "switch it on in this fish"}},
        .stands_alone = true,
        .handler = run_completion,
    };
}

CommandRow complete_command() {
    return CommandRow{
        .verb = "__complete",
        .group = Group::shell,
        .summary = "answer the completion scripts",
        .trailing = "WORD…",
        .hidden = true,
        .stands_alone = true,
        .handler = run_complete,
    };
}

}  // namespace drawhitch::cli
