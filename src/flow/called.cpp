#include "flow/called.hpp"

#include "base/text.hpp"

namespace drawhitch::flow {

namespace {

// As much of a wrong name as helps to recognize it.
constexpr std::size_t k_shown_bytes = 40;

}  // namespace

Status check_called(std::string_view name, std::string_view of) {
    if (is_plain_name(name) && name.size() <= k_called_most) return ok();
    const bool is_long = name.size() > k_called_most;
    const std::string shown = printable(name.substr(0, k_shown_bytes)) +
                              (name.size() > k_shown_bytes ? "…\" of " + counted(name.size(), "byte") : "\"");
    Error error{Code::usage,
                "\"" + shown + (is_long ? " is too long a name for a " : " is no name for a ") + std::string{of}};
    return std::move(error).because(
        "names are made of letters, digits, '.', '_' and '-', start with a letter or digit, "
        "and have at most " +
        std::to_string(k_called_most) + " of them");
}

}  // namespace drawhitch::flow
