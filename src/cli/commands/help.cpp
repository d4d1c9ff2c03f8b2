#include <algorithm>

#include "base/text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/context.hpp"
#include "cli/fit_help.hpp"
#include "cli/help.hpp"
#include "cli/parsed.hpp"
#include "cli/registry.hpp"
#include "cli/suggest.hpp"
#include "io/term/output.hpp"

namespace drawhitch::cli {

namespace {

Error unknown(const Registry& registry, const std::string& asked) {
    std::vector<std::string> words = registry.first_words();
    for (const Topic& topic : topics())
        words.emplace_back(topic.name);
    return unknown_word("there is no command and no topic", asked, words);
}

Result<std::string> text_for(const Registry& registry, const std::string& asked) {
    if (asked.empty()) return overview(registry);
    if (const CommandRow* row = registry.find(asked)) return command_help(*row);
    // "config" is both: a family of commands, and something to explain.
    std::string text = registry.is_family(asked) ? family_help(registry, asked) : std::string{};
    const auto topic = std::ranges::find(topics(), asked, &Topic::name);
    if (topic != topics().end()) text += (text.empty() ? "" : "\n") + topic->text();
    if (!text.empty()) return text;
    return unknown(registry, asked);
}

Result<Outcome> run_help(Context& context, const Parsed& parsed) {
    TRY_ASSIGN(const std::string text, text_for(context.registry, join(parsed.arguments().many("COMMAND"), " ")));
    const std::size_t width = context.out.width();
    context.out.text(fit_help(text, width == 0 ? k_help_width : width));
    context.out.json("text", text);
    return Outcome{};
}

}  // namespace

CommandRow help_command() {
    return CommandRow{
        .verb = "help",
        .group = Group::shell,
        .summary = "explain a command or a topic",
        .positionals = {{.name = "COMMAND", .help = "a command, a family or a topic", .arity = Arity::any}},
        .examples = {{"drawhitch help version", "what version does and takes"},
                     {"drawhitch help exit-codes", "the table of exit codes"}},
        .stands_alone = true,
        .handler = run_help,
    };
}

}  // namespace drawhitch::cli
