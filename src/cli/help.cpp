#include "cli/help.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "cli/globals.hpp"
#include "io/term/width.hpp"

namespace drawhitch::cli {

namespace {

constexpr std::size_t k_name_columns = 14;
constexpr std::size_t k_option_columns = 26;

// "  left   right", the right part on its own line when the left one is too long.
std::string entry(std::string_view left, std::string_view right, std::size_t columns) {
    std::string line = "  " + term::pad_right(left, columns);
    if (term::display_width(left) >= columns) line += "\n" + std::string(columns + 2, ' ');
    return line + std::string{right} + "\n";
}

std::string shown_positional(const PositionalRow& row) {
    std::string name{row.name};
    if (row.arity == Arity::many || row.arity == Arity::any) name += "…";
    const bool may_miss = row.arity == Arity::optional || row.arity == Arity::any || row.box_optional;
    return may_miss ? "[" + name + "]" : name;
}

std::string shown_option(const OptionRow& row) {
    std::string names;
    for (const std::string_view name : split(row.names, ',')) {
        if (!names.empty()) names += ", ";
        if (names.empty() && name.starts_with("--")) names += "    ";
        names += name;
    }
    return row.metavar.empty() ? names : names + " " + std::string{row.metavar};
}

std::string option_note(const OptionRow& row) {
    std::string note{row.help};
    if (row.kind == OptionKind::list) note += " (may be repeated)";
    if (row.required) note += " (required)";
    return note;
}

std::string options_help(std::span<const OptionRow> rows) {
    std::string text;
    for (const OptionRow& row : rows)
        text += entry(shown_option(row), option_note(row), k_option_columns);
    return text;
}

}  // namespace

std::string_view title_of(Group group) {
    switch (group) {
        case Group::life_cycle:
            return "Life cycle";
        case Group::inspect:
            return "Inspect";
        case Group::manage:
            return "Manage";
        case Group::shell:
            return "Shell";
    }
    return "";
}

std::string usage_line(const CommandRow& row) {
    std::string line = "drawhitch " + std::string{row.verb};
    for (const PositionalRow& positional : row.positionals)
        line += " " + shown_positional(positional);
    if (!row.options.empty()) line += " [options]";
    if (row.trailing.empty()) return line;
    const std::string command = "-- " + std::string{row.trailing};
    return line + (row.trailing_required ? " " + command : " [" + command + "]");
}

std::string global_options_help() {
    return options_help(global_rows());
}

std::string overview(const Registry& registry) {
    std::string text = "drawhitch manages the GPU machines you rent: code out, proof back, then the meter stops.\n\n";
    text += "usage: drawhitch [global options] COMMAND [BOX] [arguments] [-- command]\n";
    for (const Group group : {Group::life_cycle, Group::inspect, Group::manage, Group::shell}) {
        std::string lines;
        for (const CommandRow& row : registry.rows()) {
            if (row.group == group && !row.hidden) lines += entry(row.verb, row.summary, k_name_columns);
        }
        if (!lines.empty()) text += "\n" + std::string{title_of(group)} + "\n" + lines;
    }
    text += "\nTopics\n";
    for (const Topic& topic : topics())
        text += entry(topic.name, topic.summary, k_name_columns);
    return text + "\nGlobal options\n" + global_options_help() +
           "\nMore: drawhitch help COMMAND, drawhitch help TOPIC\n";
}

std::string command_help(const CommandRow& row) {
    std::string text = "drawhitch " + std::string{row.verb} + ": " + std::string{row.summary} + "\n\n";
    text += "usage: " + usage_line(row) + "\n";
    if (!row.aliases.empty()) {
        text += "also:  ";
        for (const std::string_view alias : row.aliases)
            text += (alias == row.aliases.front() ? "" : ", ") + std::string{alias};
        text += "\n";
    }
    if (!row.description.empty()) text += "\n" + std::string{trim(row.description)} + "\n";
    if (!row.positionals.empty()) {
        text += "\nArguments\n";
        for (const PositionalRow& positional : row.positionals) {
            const std::string note = positional.box_optional ? " (may be left out when the project has one)" : "";
            text += entry(positional.name, std::string{positional.help} + note, k_option_columns);
        }
    }
    if (!row.options.empty()) text += "\nOptions\n" + options_help(row.options);
    if (!row.examples.empty()) text += "\nExamples\n";
    for (const Example& example : row.examples) {
        text += "  " + std::string{example.command} + "\n      " + std::string{example.what} + "\n";
    }
    return text + "\nGlobal options work here, too: drawhitch help global-options\n";
}

std::string family_help(const Registry& registry, std::string_view family) {
    std::string text = "usage: drawhitch " + std::string{family} + " COMMAND [arguments]\n\n";
    for (const CommandRow& row : registry.rows()) {
        if (row.verb.starts_with(std::string{family} + " ")) text += entry(row.verb, row.summary, k_name_columns + 4);
    }
    return text + "\nMore: drawhitch help " + std::string{family} + " COMMAND\n";
}

}  // namespace drawhitch::cli
