// Reading a run's log from the box, its end or as it grows, in bounded memory and over short requests: nothing is left
// behind on the box when the reader goes away.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "flow/deps.hpp"

namespace drawhitch::flow {

struct LogOptions {
    std::string run{};       // empty: the newest run
    std::size_t lines{200};  // how many of the last ones
    bool follow{false};      // until the run has ended
    milliseconds every{1'000};
};

struct LogReport {
    std::string run{};
    std::uint64_t size{0};     // of the log on the box
    std::uint64_t skipped{0};  // bytes a follower left out because the log grew faster than they could come
    bool began_inside{false};  // the lines asked for may begin earlier than what was read (1 MiB)
    bool ended{false};         // the run has ended
};

// Each line is as parse::LogLines gives it: printable, a progress bar in its last state.
using LineSink = std::function<Status(std::string_view line)>;

// Codes: not_found (no such run, or no log yet), those of the connection. A follower connects again when the link is
// lost and goes on where it was.
Result<LogReport> read_log(const Op& op, Deps& deps, const model::Lease& lease, const LogOptions& options,
                           const LineSink& sink);

}  // namespace drawhitch::flow
