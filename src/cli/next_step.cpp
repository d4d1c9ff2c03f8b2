#include "cli/next_step.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "cli/exit_code.hpp"

namespace drawhitch::cli {

namespace {

constexpr std::size_t k_longest = 400;  // nobody types a line longer than this again

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
    return line.size() <= k_longest ? line : "drawhitch help " + asked.verb;
}

std::string doctor(const Asked& asked) {
    return asked.verb == "doctor" ? again(asked) + " -v" : "drawhitch doctor" + of_box(asked);
}

std::string longer(const Asked& asked) {
    const milliseconds least{60'000};
    const milliseconds twice = asked.timeout.value_or(least / 2) * 2;
    return std::to_string(std::chrono::ceil<std::chrono::seconds>(std::max(least, twice)).count()) + "s";
}

}  // namespace

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
    return error;
}

std::vector<std::string> next_after(int exit, const Asked& asked) {
    const auto row = std::ranges::find(code_rows(), exit, &CodeRow::exit);
    if (exit == exit_code::k_ok || row == code_rows().end()) return {};
    return {filled_in(row->next, asked)};
}

}  // namespace drawhitch::cli
