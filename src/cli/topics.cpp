// The texts of `help TOPIC` that belong to no command.
#include <array>

#include "cli/exit_code.hpp"
#include "cli/globals.hpp"
#include "cli/help.hpp"
#include "io/term/width.hpp"

namespace drawhitch::cli {

namespace {

std::string exit_codes() {
    std::string text = "How a command ended, by its exit code:\n\n";
    for (const ExitRow& row : exit_rows()) {
        text += term::pad_left(std::to_string(row.exit), 5) + "  " + std::string{row.meaning} + "\n";
    }
    text += "\nEach error names its class in brackets; the class decides the code:\n\n";
    for (const CodeRow& row : code_rows()) {
        text += term::pad_left(std::to_string(row.exit), 5) + "  " + term::pad_right(id(row.code), 15) +
                std::string{row.meaning} + "\n";
    }
    return text;
}

std::string environment() {
    std::string text = "Each global option has a variable that stands in for it; what is typed wins.\n\n";
    for (const OptionRow& row : global_rows()) {
        text += "  " + term::pad_right(row.environment, 22) + "--" + std::string{key_of(row)} + "\n";
    }
    return text +
           "\nFor options without a value, 1, yes, on and true switch on; 0, no, off, false and\n"
           "nothing switch off. DRAWHITCH_VERBOSE may be a count, as in 2.\n\n"
           "Also read:\n"
           "  NO_COLOR              not empty: no colour, unless --color says so\n"
           "  CLICOLOR_FORCE        not empty and not 0: colour also where there is no terminal\n"
           "  TERM                  dumb or empty: no colour, no bars\n"
           "  HOME, XDG_CONFIG_HOME, XDG_STATE_HOME\n"
           "                        where configuration and the ledger lie: help config\n"
           "  SSH_AUTH_SOCK         the SSH agent; it is used, never forwarded\n";
}

std::string config() {
    return "Settings come from, the first one wins:\n\n"
           "  1. global options\n"
           "  2. DRAWHITCH_… variables (help environment)\n"
           "  3. drawhitch.toml of the project, found in this directory or above it\n"
           "  4. $XDG_CONFIG_HOME/drawhitch/config.toml, or ~/.config/drawhitch/config.toml\n"
           "  5. what is built in, with the profiles of the platforms\n\n"
           "The ledger lies in $XDG_STATE_HOME/drawhitch, or ~/.local/state/drawhitch. It knows every\n"
           "lease, run and receipt, must be on a disk of your own, and is readable by you alone.\n\n"
           "A project's file may set nothing that runs programs or redirects keys until `drawhitch trust`.\n";
}

std::string output() {
    return "Data goes to standard output, everything else to standard error.\n\n"
           "  terminal     aligned tables\n"
           "  pipe, file   tab-separated values without a heading; tab, newline, backslash and bytes that\n"
           "               are not UTF-8 are escaped (\\t \\n \\\\ \\xNN); sizes are bytes, times RFC 3339 UTC\n"
           "  --json       one object: schema, command, data, warnings, next, error, ok, exit\n"
           "  --jsonl      one object per line: {\"type\":\"row\"…} and {\"type\":\"event\"…} as they happen, at\n"
           "               last {\"type\":\"result\"…}, which is the object of --json without the rows\n\n"
           "In JSON sizes are integers, a time T is \"T\" (RFC 3339 UTC) with \"T_age\" in seconds, what is not\n"
           "known is null, and a name that is not UTF-8 is {\"b64\": \"…\"}. New members may appear; none changes\n"
           "its meaning within one schema number.\n\n"
           "An error is told as\n\n"
           "  error[E-CLASS]: what happened\n"
           "  why: what is known about the reason\n"
           "  next: the command to type now\n\n"
           "and with --json also as the member error {id, message, why, context} of the object.\n";
}

std::string global_options() {
    return "These may stand before or after the command:\n\n" + global_options_help() +
           "\nEach has a variable, too: help environment\n";
}

constexpr std::array k_topics{
    Topic{"exit-codes", "what each exit code means", exit_codes},
    Topic{"environment", "the variables drawhitch reads", environment},
    Topic{"config", "where settings come from, and where state lies", config},
    Topic{"output", "tables, TSV, JSON and the shape of errors", output},
    Topic{"global-options", "the options every command takes", global_options},
};

}  // namespace

std::span<const Topic> topics() {
    return k_topics;
}

}  // namespace drawhitch::cli
