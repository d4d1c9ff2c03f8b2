// Clock: the only source of time and the only way to wait. Tests inject their own; nothing else in the project may
// read a clock or sleep (scripts/check_layers.py looks for it).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace drawhitch {

using std::chrono::milliseconds;
using Instant = std::chrono::time_point<std::chrono::steady_clock, std::chrono::nanoseconds>;

// Seconds since 1970 UTC with nanoseconds, as files and ledgers keep it. May be before 1970.
struct WallTime {
    std::int64_t seconds{0};
    std::int32_t nanoseconds{0};
    auto operator<=>(const WallTime&) const = default;
};

class Cancel;

class Clock {
  public:
    virtual ~Clock() = default;
    // Monotonic; for deadlines and durations.
    virtual Instant now() const = 0;
    // Wall clock; for records only, never for durations.
    virtual WallTime wall() const = 0;
    // Waits for the duration, or until cancelled, whichever comes first.
    virtual void sleep(milliseconds duration, const Cancel& cancel) = 0;
};

// The real one.
Clock& system_clock();

// "2026-11-27T23:20:05Z" (UTC, whole seconds).
std::string rfc3339(WallTime time);
// The other way, for exactly that form; empty for anything else.
std::optional<WallTime> read_rfc3339(std::string_view text);
// "45 s", "12 min", "3 h 20 min", "2 d 4 h": for people.
std::string human_duration(std::chrono::seconds duration);

}  // namespace drawhitch
