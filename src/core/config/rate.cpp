#include "core/config/rate.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <string>

namespace drawhitch::config {

namespace {

struct RateUnit {
    std::string_view name{};  // small letters
    double bytes{1};
};

constexpr double k_kibi = 1024.0;
constexpr double k_bits_in_byte = 8.0;
constexpr std::array k_rate_units{
    RateUnit{"", 1},
    RateUnit{"b", 1},
    RateUnit{"k", k_kibi},
    RateUnit{"kib", k_kibi},
    RateUnit{"m", k_kibi* k_kibi},
    RateUnit{"mib", k_kibi* k_kibi},
    RateUnit{"g", k_kibi* k_kibi* k_kibi},
    RateUnit{"gib", k_kibi* k_kibi* k_kibi},
    RateUnit{"kbit", 1e3 / k_bits_in_byte},
    RateUnit{"mbit", 1e6 / k_bits_in_byte},
    RateUnit{"gbit", 1e9 / k_bits_in_byte},
};
constexpr double k_highest = 1e15;  // far above any link, far below overflow

std::string small_letters(std::string_view word) {
    std::string small;
    for (const char c : word)
        small += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return small;
}

}  // namespace

std::optional<std::uint64_t> parse_rate(std::string_view word) {
    if (word == "none") return 0;
    if (word.ends_with("/s")) word.remove_suffix(2);
    if (word.empty() || word.front() == '-') return std::nullopt;
    double number = 0;
    const auto [end, problem] =
        std::from_chars(word.data(), word.data() + word.size(), number, std::chars_format::fixed);
    if (problem != std::errc{} || !std::isfinite(number)) return std::nullopt;
    const std::string suffix = small_letters(word.substr(static_cast<std::size_t>(end - word.data())));
    for (const RateUnit& unit : k_rate_units) {
        if (unit.name != suffix) continue;
        const double rate = number * unit.bytes;
        if (rate < static_cast<double>(k_least_rate) || rate > k_highest) return std::nullopt;
        return static_cast<std::uint64_t>(rate);
    }
    return std::nullopt;
}

}  // namespace drawhitch::config
