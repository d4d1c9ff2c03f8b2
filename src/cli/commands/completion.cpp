#include "cli/completion.hpp"

#include "cli/commands/commands.hpp"
#include "cli/context.hpp"
#include "cli/parsed.hpp"
#include "io/term/output.hpp"

namespace drawhitch::cli {

namespace {

Result<Outcome> run_completion(Context& context, const Parsed& parsed) {
    const std::string_view script = completion_script(parsed.arguments().one("SHELL").value_or(""));
    context.out.raw(script);
    context.out.json("script", script);
    return Outcome{};
}

// Prints "word<tab>summary" lines, and ":files" when file names fit, too.
Result<Outcome> run_complete(Context& context, const Parsed& parsed) {
    const auto no_boxes = [] { return std::vector<std::string>{}; };
    const Completion found = complete(context.registry, parsed.trailing(), no_boxes);
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
