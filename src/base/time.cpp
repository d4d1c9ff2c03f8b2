#include "base/time.hpp"

#include <cstdio>
#include <ctime>

namespace drawhitch {

std::string rfc3339(WallTime time) {
    const auto seconds = static_cast<std::time_t>(time.seconds);
    std::tm parts{};
    if (::gmtime_r(&seconds, &parts) == nullptr) return "0000-00-00T00:00:00Z";
    char text[40] = {};
    std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02dZ", parts.tm_year + 1900, parts.tm_mon + 1,
                  parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
    return text;
}

std::optional<WallTime> read_rfc3339(std::string_view text) {
    constexpr std::string_view k_form = "0000-00-00T00:00:00Z";
    if (text.size() != k_form.size()) return std::nullopt;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool digit = text[at] >= '0' && text[at] <= '9';
        if (k_form[at] == '0' ? !digit : text[at] != k_form[at]) return std::nullopt;
    }
    const auto number = [text](std::size_t at, std::size_t length) {
        int value = 0;
        for (const char byte : text.substr(at, length))
            value = value * 10 + (byte - '0');
        return value;
    };
    std::tm parts{};
    parts.tm_year = number(0, 4) - 1900;
    parts.tm_mon = number(5, 2) - 1;
    parts.tm_mday = number(8, 2);
    parts.tm_hour = number(11, 2);
    parts.tm_min = number(14, 2);
    parts.tm_sec = number(17, 2);
    const WallTime time{static_cast<std::int64_t>(::timegm(&parts)), 0};
    // The 31st of June comes back as another day.
    return rfc3339(time) == text ? std::optional{time} : std::nullopt;
}

namespace {

std::string two_units(long long major, const char* major_unit, long long minor, const char* minor_unit) {
    std::string text = std::to_string(major) + " " + major_unit;
    if (minor != 0) text += " " + std::to_string(minor) + " " + minor_unit;
    return text;
}

}  // namespace

std::string human_duration(std::chrono::seconds duration) {
    const long long total = duration.count();
    if (total < 0) return "-" + human_duration(-duration);
    if (total < 60) return std::to_string(total) + " s";
    if (total < 3600) return two_units(total / 60, "min", total < 600 ? total % 60 : 0, "s");
    if (total < 86'400) return two_units(total / 3600, "h", total % 3600 / 60, "min");
    return two_units(total / 86'400, "d", total % 86'400 / 3600, "h");
}

}  // namespace drawhitch
