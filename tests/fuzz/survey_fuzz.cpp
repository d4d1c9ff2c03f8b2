// Any answer of a box to the survey gives facts, and what was not told whole is not called complete.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/judge/processes.hpp"
#include "core/parse/survey.hpp"

namespace {

// The mark that ends an answer; blanks before its word are the parser's own affair.
bool has_end(std::string_view text) {
    constexpr std::string_view k_mark = "=n0=";
    for (std::size_t at = text.find(k_mark); at != std::string_view::npos; at = text.find(k_mark, at + 1)) {
        const std::size_t word = text.find_first_not_of(" \t", at + k_mark.size());
        if (word != std::string_view::npos && text[word] == 'Z') return true;
    }
    return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    const auto seen = drawhitch::parse::survey(text, "n0");
    if (seen.complete && !has_end(text)) std::abort();
    drawhitch::judge::ProcessPolicy policy{};
    policy.wiped = {"/"};
    (void)drawhitch::judge::unowned(seen.processes, policy);
    return 0;
}
