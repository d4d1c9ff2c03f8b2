#include "core/plan/money.hpp"

#include <array>
#include <charconv>

#include "base/text.hpp"

namespace drawhitch::plan {

std::string money(double amount, const std::string& currency) {
    std::array<char, 64> buffer{};
    const auto [end, problem] =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), amount, std::chars_format::fixed, 2);
    if (problem != std::errc{}) return "an unknown amount";
    return std::string{buffer.data(), end}.append(" ").append(printable(currency));
}

}  // namespace drawhitch::plan
