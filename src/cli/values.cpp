// The typed values of option words: integers, durations, bytes.
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "cli/parsed.hpp"

namespace drawhitch::cli {

namespace {

struct Unit {
    std::string_view name{};
    double factor{1};
};

Error wrong(std::string_view option, std::string_view word, std::string_view wanted) {
    std::string message = "--";
    message.append(option).append(" takes ").append(wanted).append(", not \"").append(printable(word)).append("\"");
    return Error{Code::usage, std::move(message)};
}

// A number that is not negative, followed by one of the units.
std::optional<double> scaled(std::string_view word, std::span<const Unit> units) {
    double number = 0;
    const auto [end, problem] =
        std::from_chars(word.data(), word.data() + word.size(), number, std::chars_format::fixed);
    if (problem != std::errc{} || !std::isfinite(number) || number < 0 || word.front() == '-') return std::nullopt;
    const std::string_view suffix = word.substr(static_cast<std::size_t>(end - word.data()));
    for (const Unit& unit : units) {
        if (unit.name == suffix) return number * unit.factor;
    }
    return std::nullopt;
}

constexpr double k_kibi = 1024.0;
constexpr std::array k_byte_units{
    Unit{"", 1},
    Unit{"B", 1},
    Unit{"K", k_kibi},
    Unit{"KiB", k_kibi},
    Unit{"M", k_kibi* k_kibi},
    Unit{"MiB", k_kibi* k_kibi},
    Unit{"G", k_kibi* k_kibi* k_kibi},
    Unit{"GiB", k_kibi* k_kibi* k_kibi},
    Unit{"T", k_kibi* k_kibi* k_kibi* k_kibi},
    Unit{"TiB", k_kibi* k_kibi* k_kibi* k_kibi},
};
constexpr std::array k_time_units{
    Unit{"", 1000},      Unit{"ms", 1},        Unit{"s", 1000},       Unit{"m", 60'000},
    Unit{"min", 60'000}, Unit{"h", 3'600'000}, Unit{"d", 86'400'000},
};
constexpr double k_longest_duration = 10.0 * 365 * 86'400'000;  // ten years: far above any use, far below overflow

}  // namespace

Result<std::int64_t> parse_integer(std::string_view option, std::string_view word) {
    std::int64_t number = 0;
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (problem != std::errc{} || end != word.data() + word.size()) return wrong(option, word, "a whole number");
    return number;
}

Result<milliseconds> parse_duration(std::string_view option, std::string_view word) {
    const std::optional<double> length = word.empty() ? std::nullopt : scaled(word, k_time_units);
    if (!length || *length > k_longest_duration) return wrong(option, word, "a duration like 90s, 5m, 2h or 1d");
    return milliseconds{static_cast<std::int64_t>(*length)};
}

Result<std::uint64_t> parse_bytes(std::string_view option, std::string_view word) {
    const std::optional<double> count = word.empty() ? std::nullopt : scaled(word, k_byte_units);
    if (!count || *count >= static_cast<double>(std::numeric_limits<std::int64_t>::max())) {
        return wrong(option, word, "a size like 512M or 1.5GiB");
    }
    return static_cast<std::uint64_t>(*count);
}

}  // namespace drawhitch::cli
