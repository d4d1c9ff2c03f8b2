#include "cli/render_error.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace drawhitch::cli {

namespace {

// Between single quotes a shell takes \x1b as four characters; between $'…' it is the byte that is meant.
std::string quoted_word(std::string_view inner) {
    if (printable(inner) == inner) return "'" + std::string{inner} + "'";
    std::string shown = "$'";
    for (const std::string_view part : split(inner, '\\'))
        shown += (shown.size() > 2 ? "\\\\" : "") + printable(part);
    return shown + "'";
}

// A command as it can be typed, or copied from a terminal.
std::string typeable(std::string_view command) {
    std::string shown;
    while (!command.empty()) {
        const std::size_t open = std::min(command.find('\''), command.size());
        const std::size_t close = std::min(command.find('\'', open + 1), command.size());
        shown += printable(command.substr(0, open));
        if (open < command.size()) shown += quoted_word(command.substr(open + 1, close - open - 1));
        command.remove_prefix(std::min(close + 1, command.size()));
    }
    return shown;
}

}  // namespace

std::string render_error(const Error& error, bool color) {
    std::string head = "error[";
    head.append(id(error.code)).append("]:");
    if (color) head = "\x1b[1;31m" + head + "\x1b[0m";
    std::string text = head + " " + printable(error.message) + "\n";
    for (const std::string& doing : error.context)
        text += "while: " + printable(doing) + "\n";
    // A reason may have several lines, one fact each.
    for (const std::string_view line : split(error.why, '\n')) {
        if (!line.empty()) text += "why: " + printable(line) + "\n";
    }
    if (!error.next.empty()) text += "next: " + typeable(error.next) + "\n";
    return text;
}

}  // namespace drawhitch::cli
