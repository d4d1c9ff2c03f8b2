#include "cli/completion.hpp"

#include <unistd.h>

#include "cli/commands/commands.hpp"
#include "cli/context.hpp"
#include "cli/parsed.hpp"
#include "core/config/dirs.hpp"
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

// The names of open leases. Asking must leave no trace and say nothing: without a ledger there are none.
std::vector<std::string> box_names(const Context& context) {
    std::vector<std::string> names;
    const auto dirs = config::find_dirs(context.environment);
    if (!dirs || ::access((dirs->state + "/ledger.db").c_str(), R_OK) != 0) return names;
    const auto ledger = ledger::Ledger::open(context.op, dirs->state);
    if (!ledger) return names;
    const auto leases = ledger->leases(ledger::Which::open);
    if (!leases) return names;
    for (const model::Lease& lease : *leases)
        names.push_back(lease.name);
    return names;
}

// Prints "word<tab>summary" lines, and ":files" when file names fit, too.
Result<Outcome> run_complete(Context& context, const Parsed& parsed) {
    const Completion found = complete(context.registry, parsed.trailing(), [&context] { return box_names(context); });
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
