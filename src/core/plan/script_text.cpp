#include "core/plan/script_text.hpp"

#include "base/text.hpp"

namespace drawhitch::plan {

std::string script_word(std::string_view text) {
    std::string quoted = shell_quote(text);
    // Inside the quotes '' closes and opens them again: nothing for the shell, but no longer a lone dot.
    constexpr std::string_view k_lone = "\n.\n";
    for (std::size_t at = quoted.find(k_lone); at != std::string::npos; at = quoted.find(k_lone, at + 2)) {
        quoted.insert(at + 2, "''");
    }
    return quoted;
}

std::string assignment(std::string_view name, std::string_view value) {
    return std::string(name) + "=" + script_word(value) + "\n";
}

std::string printer(std::string_view name, std::string_view text) {
    return std::string(name) + "() { printf %s " + script_word(text) + "; }\n";
}

}  // namespace drawhitch::plan
