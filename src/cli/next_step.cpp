#include "cli/next_step.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "cli/exit_code.hpp"

namespace drawhitch::cli {

namespace {

constexpr std::size_t k_longest_line = 400;  // nobody types a line longer than this again

std::string of_box(const Asked& asked) {
    return asked.box.empty() ? "" : " " + shell_word(asked.box);
}

std::string again(const Asked& asked) {
    const auto end = std::ranges::find(asked.words, "--");
    if (end != asked.words.end()) {
        return (asked.verb == "run" ? "drawhitch ps" : "drawhitch doctor") + of_box(asked);
    }
    std::string line = "drawhitch";
    for (auto word = asked.words.begin(); word != end; ++word) {
        if (*word == "--timeout" && word + 1 != end) {
            ++word;
        } else if (!word->starts_with("--timeout=")) {
            line += " " + shell_word(*word);
        }
    }
    return line.size() <= k_longest_line ? line : "drawhitch help " + asked.verb;
}

std::string doctor(const Asked& asked) {
    return asked.verb == "doctor" ? again(asked) + " -v" : "drawhitch doctor" + of_box(asked);
}

std::string longer(const Asked& asked) {
    const milliseconds least{60'000};
    const milliseconds twice = asked.timeout.value_or(least / 2) * 2;
    return std::to_string(std::chrono::ceil<std::chrono::seconds>(std::max(least, twice)).count()) + "s";
}

// Between single quotes a shell takes \x1b as four characters; between $'…' it is the byte that is meant.
std::string quoted_word(std::string_view inner) {
    if (printable(inner) == inner) return "'" + std::string{inner} + "'";
    std::string shown = "$'";
    for (const std::string_view part : split(inner, '\\'))
        shown += (shown.size() > 2 ? "\\\\" : "") + printable(part);
    return shown + "'";
}

}  // namespace

std::string typeable(std::string_view command) {
    std::string shown;
    while (!command.empty()) {
        const std::size_t special = std::min(command.find_first_of("'\\"), command.size());
        shown += printable(command.substr(0, special));
        command.remove_prefix(special);
        if (command.empty()) break;
        // Outside of quotes a backslash takes the next character with it: 'it'\''s'.
        const bool quoted = command.front() == '\'';
        const std::size_t end = std::min(quoted ? command.find('\'', 1) : std::size_t{1}, command.size());
        shown += quoted ? quoted_word(command.substr(1, end - 1)) : printable(command.substr(0, end + 1));
        command.remove_prefix(std::min(end + 1, command.size()));
    }
    return shown;
}

std::string typeable_here(std::string_view command, const Asked& asked) {
    constexpr std::string_view k_ours = "drawhitch ";
    const std::string_view before = command.substr(0, command.find(" -- "));
    const bool placed = before.find(" -C") != std::string_view::npos ||
                        before.find(" --directory") != std::string_view::npos || before.starts_with("drawhitch help");
    if (asked.directory.empty() || placed || !command.starts_with(k_ours)) return typeable(command);
    return typeable(std::string{k_ours} + "-C " + shell_word(asked.directory) + " " +
                    std::string{command.substr(k_ours.size())});
}

std::string filled_in(std::string_view next, const Asked& asked) {
    std::string text;
    while (!next.empty()) {
        const std::size_t open = next.find('{');
        text += next.substr(0, open);
        if (open == std::string_view::npos) break;
        const std::size_t close = next.find('}', open);
        const std::string_view word = next.substr(open + 1, close - open - 1);
        if (word == "verb") text += asked.verb;
        if (word == "box") text += of_box(asked);
        if (word == "doctor") text += doctor(asked);
        if (word == "again") text += again(asked);
        if (word == "longer") text += longer(asked);
        next.remove_prefix(close + 1);
    }
    return std::string{trim(text)};
}

Error with_next(Error error, const Asked& asked) {
    if (error.next.empty()) error.next = filled_in(row_of(error.code).next, asked);
    error.next = typeable_here(error.next, asked);
    return error;
}

std::vector<std::string> next_after(int exit, const Asked& asked) {
    const auto row = std::ranges::find(code_rows(), exit, &CodeRow::exit);
    if (exit == exit_code::k_ok || row == code_rows().end()) return {};
    return {filled_in(row->next, asked)};
}

}  // namespace drawhitch::cli
