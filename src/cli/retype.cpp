#include "cli/retype.hpp"

#include <vector>

#include "base/text.hpp"
#include "core/parse/secrets.hpp"
#include "core/plan/run_environment.hpp"

namespace drawhitch::cli {

namespace {

void add_option(std::string& line, std::string_view key, std::string_view value) {
    line += " --" + std::string{key} + " " + shell_word(value);
}

void add_all(std::string& line, const Parsed& parsed, const OptionRow& row) {
    const std::string_view key = key_of(row);
    if (row.kind == OptionKind::flag) {
        if (parsed.flag(key)) line += " --" + std::string{key};
        return;
    }
    for (const std::string& word : parsed.typed(key)) {
        const std::string name = word.substr(0, word.find('='));
        const bool hidden = key == "env" && plan::looks_secret(name);
        add_option(line, key, hidden ? name : word);
    }
}

}  // namespace

std::optional<std::string> retyped(const Parsed& parsed, std::string_view box, std::string_view key,
                                   std::string_view value, std::span<const std::string> words) {
    std::string line = "drawhitch " + std::string{parsed.row().verb} + " " + shell_word(box);
    for (const std::string& word : words)
        line += " " + shell_word(word);
    for (const OptionRow& row : parsed.row().options) {
        if (key_of(row) != key) add_all(line, parsed, row);
    }
    add_option(line, key, value);
    const auto command = parsed.trailing();
    if (!command.empty()) line += " --";
    for (const std::string& word : command)
        line += " " + shell_word(word);
    if (parse::secret_text(line)) return std::nullopt;
    return line;
}

std::string command_line(std::span<const std::string> words) {
    std::vector<std::string> quoted;
    for (const std::string& word : words)
        quoted.push_back(shell_word(word));
    return join(quoted, " ");
}

}  // namespace drawhitch::cli
