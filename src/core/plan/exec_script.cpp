#include "core/plan/exec_script.hpp"

#include "base/text.hpp"
#include "core/plan/box_scripts.hpp"
#include "core/plan/script_text.hpp"

namespace drawhitch::plan {

namespace {

std::string watcher_name(std::string_view nonce) {
    return "drawhitch-exec-" + std::string{nonce};
}

}  // namespace

std::string exec_script(const ExecSpec& spec) {
    std::string text = "set -- " + script_word(spec.directory) + " " + std::to_string(spec.input_bytes);
    if (spec.command.size() == 1) text += " /bin/sh -c";
    for (const std::string& word : spec.command)
        text += " " + script_word(word);
    // The script may have to begin again in a session of its own, so it carries its watcher.
    const std::string body = assignment("dh_name", watcher_name(spec.nonce)) +
                             assignment("dh_watch", box_exec_watch_sh()) + std::string{box_exec_sh()};
    return text + "\n" + assignment("dh_body", body) + "eval \"$dh_body\"\n";
}

std::string exec_ended_script(std::string_view nonce) {
    return assignment("dh_name", watcher_name(nonce)) + std::string{box_exec_ended_sh()};
}

// Between single quotes fish gives a meaning to a backslash before a backslash or a quote, csh to '!' and to a newline,
// so all but plain characters goes as "\0ooo", which printf of every POSIX shell turns back.
std::string login_line(const std::vector<std::string>& command) {
    std::string text = "exec";
    if (command.size() == 1) text += " /bin/sh -c";
    for (const std::string& word : command)
        text += " " + shell_quote(word);
    std::string line = "exec /bin/sh -c 'eval \"$(printf %b \"";
    for (const char c : text) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ' ' ||
                           c == '/' || c == '.' || c == '_' || c == '-';
        if (plain) {
            line += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        line += "\\0";
        for (const int shift : {6, 3, 0})
            line += static_cast<char>('0' + ((byte >> static_cast<unsigned>(shift)) & 7U));
    }
    return line + "\")\"'";
}

}  // namespace drawhitch::plan
