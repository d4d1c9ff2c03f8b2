#include <algorithm>

#include "base/text.hpp"
#include "io/transport/transport.hpp"

namespace drawhitch::transport {

namespace {

bool is_path_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-' || c == '/';
}

bool is_safe(std::string_view text) {
    return std::all_of(text.begin(), text.end(), is_path_byte);
}

}  // namespace

// One pair of single quotes is all that bash, dash, zsh, fish and csh read alike. Between them fish gives a meaning to
// a backslash, csh to '!' and to a newline, so none of these occurs: the newline that joins the script's lines is made
// by the shell itself. The lines are read one by one with `read`, which POSIX forbids to read ahead, so what follows
// the lone "." is still in stdin when the script starts. The ready line begins with a newline of its own, so that it
// stands alone even behind start-up noise that does not end its line.
BoxCommand BoxCommand::shell(std::string_view nonce) {
    std::string text = "exec /bin/sh -c 'echo; echo ";
    text.append(nonce);
    text +=
        "; n=$(echo; echo x); n=${n%x}; s=; "
        "while IFS= read -r l; do case \"$l\" in .) break;; esac; s=\"$s$l$n\"; done; "
        "unset l n; eval \"unset s; $s\"'";
    return BoxCommand(std::move(text));
}

Result<BoxCommand> BoxCommand::program(std::string_view path, std::string_view word) {
    const bool good = path.size() > 1 && path.front() == '/' && is_safe(path) && is_safe(word);
    if (!good) {
        return Error{Code::unsafe_path, "cannot start " + printable(path) +
                                            ": only absolute paths of letters, digits, "
                                            "'.', '_', '-' and '/' are sent through a login shell"};
    }
    std::string text = "exec ";
    text.append(path);
    if (!word.empty()) text.append(" ").append(word);
    return BoxCommand(std::move(text));
}

}  // namespace drawhitch::transport
