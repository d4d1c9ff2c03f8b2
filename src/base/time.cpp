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
