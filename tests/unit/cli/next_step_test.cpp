#include "cli/next_step.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <set>
#include <string>

#include "base/text.hpp"
#include "cli/exit_code.hpp"
#include "cli/help.hpp"
#include "cli/registry.hpp"
#include "cli/suggest.hpp"
#include "support/paths.hpp"
#include "support/temp_dir.hpp"

using namespace drawhitch;
using namespace drawhitch::cli;

namespace {

// Programs other than drawhitch that a next line may start with; all are on a usual machine, or the line installs them.
const std::set<std::string> k_programs{"ssh", "ulimit", "ssh-add", "ssh-copy-id", "ssh-keygen", "getent",
                                       "df",  "ls",     "ps",      "chmod",       "export",     "unset",
                                       "cd",  "mv",     "sudo",    "puttygen"};

bool is_command(const Registry& registry, const std::string& first, const std::string& second) {
    return registry.find(first) != nullptr || registry.find(first + " " + second) != nullptr;
}

bool is_explained(const Registry& registry, const std::string& first, const std::string& second) {
    const bool topic = std::ranges::find(topics(), first, &Topic::name) != topics().end();
    return topic || registry.is_family(first) || is_command(registry, first, second);
}

std::vector<std::string> words_of(std::string_view line) {
    std::vector<std::string> words;
    for (const std::string_view word : split(line, ' ')) {
        if (!word.empty()) words.emplace_back(word);
    }
    return words;
}

// Empty when the line names a program of the list, or a verb or topic of drawhitch.
std::string fault_of(const Registry& registry, std::string_view line) {
    std::vector<std::string> words = words_of(line);
    if (words.empty()) return "it is empty";
    if (words.front() != "drawhitch") return k_programs.contains(words.front()) ? "" : "it is no command";
    words.resize(std::max<std::size_t>(words.size(), 4));
    if (words[1].empty()) return "it names no verb";
    if (words[1] != "help") return is_command(registry, words[1], words[2]) ? "" : "it names no verb";
    if (words[2].empty() || is_explained(registry, words[2], words[3])) return "";
    return "it asks for help on what there is none for";
}

const Asked k_pull{.verb = "pull", .words = {"pull", "b1", "r 1", "--timeout", "9s", "--json"}, .box = "b1"};

}  // namespace

TEST_CASE("every class of error has a command to type that exists") {
    const Registry registry = all_commands();
    for (const CodeRow& row : code_rows()) {
        CAPTURE(id(row.code));
        for (const Asked& asked : {k_pull, Asked{.verb = "doctor", .words = {"doctor", "b1"}, .box = "b1"},
                                   Asked{.verb = "exec", .words = {"exec", "--", "secret"}}, Asked{}}) {
            const std::string next = with_next(Error{row.code, "it failed"}, asked).next;
            CAPTURE(next);
            CHECK(next.find_first_of("{}") == std::string::npos);
            CHECK(next.find("secret") == std::string::npos);
            const bool nothing_typed = asked.words.empty() && row.next.find("{again}") == 0;
            if (!nothing_typed) CHECK(fault_of(registry, next) == "");
        }
    }
}

TEST_CASE("an error that names its next command keeps it") {
    CHECK(with_next(Error{Code::auth, "no"}.then("ssh-add -l"), k_pull).next == "ssh-add -l");
}

TEST_CASE("what may work when tried again is shown as it was typed") {
    CHECK(with_next(Error{Code::link_lost, "it ended"}, k_pull).next == "drawhitch pull b1 'r 1' --json");
    CHECK(with_next(Error{Code::no_banner, "nobody spoke"}, k_pull).next == "drawhitch doctor b1");
}

TEST_CASE("a deadline that passed leads to a longer one") {
    Asked asked = k_pull;
    CHECK(with_next(Error{Code::deadline, "over"}, asked).next == "drawhitch pull b1 'r 1' --json --timeout 60s");
    asked.timeout = milliseconds{90'500};
    CHECK(with_next(Error{Code::deadline, "over"}, asked).next == "drawhitch pull b1 'r 1' --json --timeout 181s");
}

TEST_CASE("a command that ended with a code and no error says what to type, too") {
    CHECK(next_after(0, k_pull).empty());
    CHECK(next_after(42, k_pull).empty());
    CHECK(next_after(3, k_pull) == std::vector<std::string>{"drawhitch help pull"});
    CHECK(next_after(12, k_pull) == std::vector<std::string>{"drawhitch logs b1"});
}

TEST_CASE("names that are no text are quoted so that a shell makes their bytes again") {
    CHECK(typeable("chmod 700 '/a b' x") == "chmod 700 '/a b' x");
    CHECK(typeable("rm 'a\x1b\xff' 'ü'") == "rm $'a\\x1b\\xff' 'ü'");
    CHECK(typeable("rm 'a\\\x1b'") == "rm $'a\\\\\\x1b'");
    CHECK(typeable("rm 'it'\\''s'") == "rm 'it'\\''s'");
    CHECK(typeable("rm 'open") == "rm 'open'");
    CHECK(typeable("").empty());
}

TEST_CASE("a command behind -- is never repeated: it may hold a secret") {
    const Asked run{.verb = "run", .words = {"run", "b1", "--", "env", "TOKEN=x", "true"}, .box = "b1"};
    CHECK(with_next(Error{Code::cancelled, "stopped"}, run).next == "drawhitch ps b1");
}

TEST_CASE("doctor does not send to itself") {
    const Asked asked{.verb = "doctor", .words = {"doctor", "b1"}, .box = "b1"};
    CHECK(with_next(Error{Code::refused, "no"}, asked).next == "drawhitch doctor b1 -v");
}

TEST_CASE("every next line that the sources name begins with a command that exists") {
    const Registry registry = all_commands();
    std::size_t seen = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(support::source_dir() + "/src")) {
        if (entry.path().extension() != ".cpp") continue;
        const std::string text = support::read_file(entry.path().string());
        for (std::size_t at = text.find(".then("); at != std::string::npos; at = text.find(".then(", at + 1)) {
            const std::string whole = text.substr(at, text.find(';', at) - at);
            CAPTURE(entry.path().string(), whole);
            CHECK(whole.find("…") == std::string::npos);  // nobody can type what is left out
        }
        for (const std::string_view before : {".then(\"", ".next = \"", ".next = {\"", ".then(\n"}) {
            for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at + 1)) {
                const std::size_t open = text.find_first_not_of(" \n", at + before.size());
                const std::size_t begin = before.back() == '"' ? at + before.size() : open + 1;
                if (before.back() != '"' && text[open] != '"') continue;
                std::string line = text.substr(begin, text.find('"', begin) - begin);
                // A verb that is put in at run time comes from a row of the registry.
                if (line == "drawhitch " || line == "drawhitch help ") continue;
                CAPTURE(entry.path().string(), line);
                CHECK(fault_of(registry, line) == "");
                ++seen;
            }
        }
    }
    CHECK(seen > 60);
}

TEST_CASE("what help says to ask for exists, in every text") {
    const Registry registry = all_commands();
    std::string all = overview(registry);
    for (const Topic& topic : topics())
        all += topic.text();
    for (const CommandRow& row : registry.rows())
        all += command_help(row);
    for (const std::string_view before : {"drawhitch help ", "(help ", ": help "}) {
        for (std::size_t at = all.find(before); at != std::string::npos; at = all.find(before, at + 1)) {
            const std::string rest = all.substr(at + before.size(), 40);
            std::vector<std::string> words = words_of(rest.substr(0, rest.find_first_of("\n),;`.")));
            words.resize(std::max<std::size_t>(words.size(), 2));
            CAPTURE(rest);
            const bool placeholder =
                words[0] == "COMMAND" || words[0] == "[COMMAND…]" || words[0] == "TOPIC" || words[0] == "VERB";
            if (!placeholder) CHECK(is_explained(registry, words[0], words[1]));
        }
    }
}

TEST_CASE("a line for somebody who typed -C has it, too, once, and only where it is one of ours") {
    const Asked asked{.verb = "run", .words = {"-C", "a b", "run"}, .box = "b1", .timeout = {}, .directory = "a b"};
    CHECK(typeable_here("drawhitch ps b1", asked) == "drawhitch -C 'a b' ps b1");
    CHECK(typeable_here("drawhitch run b1 -- tar -C x", asked) == "drawhitch -C 'a b' run b1 -- tar -C x");
    CHECK(typeable_here("drawhitch -C 'a b' run b1", asked) == "drawhitch -C 'a b' run b1");
    CHECK(typeable_here("drawhitch help run", asked) == "drawhitch help run");
    CHECK(typeable_here("chmod 600 '/k'", asked) == "chmod 600 '/k'");
    CHECK(typeable_here("drawhitch ps b1", {}) == "drawhitch ps b1");
    CHECK(with_next({Code::not_found, "x"}, asked).next.starts_with("drawhitch "));
}

TEST_CASE("every word of the grammar exists, or says what works today") {
    const Registry registry = all_commands();
    for (const std::string verb :
         {"up",      "adopt",      "doctor",   "preflight",  "push",    "run",          "ps",           "watch",
          "logs",    "pull",       "verify",   "stop-run",   "restart", "stop",         "start",        "reboot",
          "down",    "ls",         "show",     "top",        "plot",    "cost",         "offers",       "ssh",
          "exec",    "cp",         "du",       "tb",         "forward", "probe",        "judge",        "profile ls",
          "secret",  "queue",      "lease ls", "lease show", "guard",   "lease export", "lease import", "lease close",
          "gc",      "reap",       "stage",    "fetch",      "trust",   "adopt-run",    "export",       "config path",
          "demo",    "completion", "version",  "help",       "deploy",  "launch",       "status",       "terminate",
          "destroy", "release"}) {
        CAPTURE(verb);
        const bool exists = registry.find(verb) != nullptr;
        const bool is_planned = std::ranges::find(planned(), verb, &Planned::verb) != planned().end();
        CHECK(exists != is_planned);
    }
}

TEST_CASE("words that other programs taught lead to a command that exists") {
    const Registry registry = all_commands();
    std::set<std::string_view> seen;
    for (const Habit& habit : habits()) {
        CAPTURE(habit.word);
        CHECK(seen.insert(habit.word).second);
        CHECK(registry.find(habit.word) == nullptr);
        CHECK_FALSE(registry.is_family(habit.word));
        const Error error = unknown_word("there is no command", habit.word, {});
        CHECK(fault_of(registry, error.next) == "");
        CHECK(error.next == "drawhitch help " + std::string{habit.verb});
    }
    for (const Planned& plan : planned()) {
        CAPTURE(plan.verb);
        CHECK(seen.insert(plan.verb).second);
        CHECK(registry.find(plan.verb) == nullptr);
        CHECK(fault_of(registry, plan.next) == "");
        CHECK(unknown_word("", plan.verb, {}).message.find("does not exist yet") != std::string::npos);
    }
}

TEST_CASE("the glossary explains the words of the tool, each once") {
    std::set<std::string_view> words;
    for (const Term& term : glossary()) {
        CHECK(words.insert(term.word).second);
        for (const std::string_view line : split(term.meaning, '\n'))
            CHECK(line.size() <= 86);
    }
    for (const char* word : {"lease", "run", "roster", "unit", "receipt", "gate", "release", "manifest", "box"})
        CHECK(words.contains(word));
}
