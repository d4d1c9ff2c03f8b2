// The texts of `help TOPIC` that belong to no command.
#include <array>

#include "base/text.hpp"
#include "cli/exit_code.hpp"
#include "cli/globals.hpp"
#include "cli/help.hpp"
#include "io/disk/embedded_file.hpp"
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
    return text +
           "\nWhat push holds back because it looks like a secret is named in a warning (data.held_back of\n"
           "--json) and leaves the code 0: holding it back is what was asked for. A file that cannot go\n"
           "(unreadable, a pipe, an outside link) makes it 3.\n";
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

std::string project_file() {
    return "drawhitch.toml lies at the top of a project and is found from any directory below it. adopt writes\n"
           "one when there is none. It says what a run must leave behind, what is pushed, and which box is\n"
           "meant; secrets do not belong into it. What could make a cloned project dangerous counts only\n"
           "after `drawhitch trust`. Every key, with what it is without you, in docs/project-file.md.\n\n"
           "  [push] allow_secrets = [\"NAME\"]    push files that look like secrets, after `drawhitch trust`\n"
           "  [push] fix_eol = true              repair the line ends of scripts in what is pushed\n\n"
           "This is the file that adopt writes:\n\n" +
           std::string{disk::project_template()};
}

std::string profiles() {
    return "A profile is a TOML file of facts about one platform: which of its storage survives a restart, a\n"
           "stop and the end; what its verbs destroy and what goes on billing; what it does by itself after\n"
           "some hours. The gate of down believes it, so a profile that contradicts itself is refused.\n\n"
           "  drawhitch profile ls                       which there are; generic-ssh fits any box\n"
           "  drawhitch profile show NAME                what it says\n"
           "  drawhitch profile show NAME --toml         the file, to start your own from\n"
           "  drawhitch profile check FILE               every problem at once\n"
           "  drawhitch adopt … --profile NAME           use it for a box\n\n"
           "Yours go into the directory that `drawhitch config path profiles` prints, and stand above a\n"
           "built-in one of the same name. Every key is in docs/profiles.md.\n";
}

std::string host_keys() {
    return "A host key tells one machine from every other one that answers at its address. adopt shows its\n"
           "fingerprint; compare it with the one in the provider's console before you say yes, or pass the\n"
           "console's with --accept-host-key SHA256:… in scripts. From then on this key alone is accepted\n"
           "for the box, and another one ends the connection before anything is sent (exit code 10).\n\n"
           "When the key is another one than before:\n"
           "  1. Was the box rebuilt, restarted on other hardware, or did its address go to somebody else?\n"
           "     The console tells. If nothing of the kind happened, do not go on.\n"
           "  2. Compare the new fingerprint with the console's.\n"
           "  3. Adopt the box again under the same name, with the line the console shows now.\n\n"
           "  drawhitch show BOX                         the key that is pinned, and where it came from\n\n"
           "More in docs/ssh.md.\n";
}

constexpr std::array k_glossary{
    Term{"box", "one machine that you reach over SSH, rented or your own"},
    Term{"lease",
         "one rental of a box, from adopt until its end is confirmed; host keys, price,\nruns and receipts "
         "belong to it. BOX@LEASE, with the number from lease ls, names one\nthat has ended: while the box is "
         "there, its runs can be read (pull, verify, cp,\nps, logs, watch)"},
    Term{"profile", "what is known about a platform: its storage, its verbs, what they bill (help profiles)"},
    Term{"release", "one copy of your code on a box, named by the hash of its files, never changed"},
    Term{"run", "one job that was started on a box, with its own directory, log and record"},
    Term{"roster",
         "what a run must leave behind: your patterns (--out, [out]), each of it must, nice\nor scratch, and "
         "its log"},
    Term{"unit", "what is proven together: a file, a checkpoint directory, or a set of shards with\nits index"},
    Term{"manifest", "the list of what a roster matched on the box: path, size and hash of each file"},
    Term{"receipt", "the proof that units were pulled and that their hashes hold here; receipts of a\nrun add up"},
    Term{"gate",
         "the decision whether something that cannot be undone may happen; closed while\nanything unproven "
         "would be lost"},
    Term{"verdict", "what is known about a run now (RUNNING, DONE, FAILED …), with the evidence"},
    Term{"helper", "the small program that drawhitch puts into your cache on a box and talks to"},
    Term{"tier", "a part of a box's storage with one fate: what survives a restart, a stop, the end"},
    Term{"ledger", "the file on this machine that knows every lease, run and receipt"},
};

std::string words() {
    std::string text = "The words of drawhitch:\n\n";
    for (const Term& term : k_glossary) {
        std::string_view left = term.word;
        for (const std::string_view line : split(term.meaning, '\n')) {
            text += "  " + term::pad_right(left, 10) + std::string{line} + "\n";
            left = {};
        }
    }
    return text;
}

constexpr std::array k_topics{
    Topic{"words", "what drawhitch calls things: lease, roster, gate …", words},
    Topic{"project-file", "drawhitch.toml, and the file that adopt writes", project_file},
    Topic{"profiles", "platforms as data, and how to write your own", profiles},
    Topic{"host-keys", "how a box proves that it is the same one", host_keys},
    Topic{"exit-codes", "what each exit code means", exit_codes},
    Topic{"environment", "the variables drawhitch reads", environment},
    Topic{"config", "where settings come from, and where state lies", config},
    Topic{"output", "tables, TSV, JSON and the shape of errors", output},
    Topic{"global-options", "the options every command takes", global_options},
};

}  // namespace

std::span<const Term> glossary() {
    return k_glossary;
}

std::span<const Topic> topics() {
    return k_topics;
}

}  // namespace drawhitch::cli
