#include "cli/render_error.hpp"

#include "base/text.hpp"

namespace drawhitch::cli {

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
    if (!error.next.empty()) text += "next: " + printable(error.next) + "\n";
    return text;
}

}  // namespace drawhitch::cli
