// Following a run: what it makes is brought home and proven as soon as it is whole, until the run has ended. For boxes
// that vanish without notice. Short connections, one after the other; a link that blinks ends nothing.
#pragma once

#include <functional>
#include <string>

#include "flow/pull.hpp"

namespace drawhitch::flow {

struct FollowOptions {
    PullOptions pull{};
    milliseconds every{15'000};     // between two looks
    milliseconds give_up{600'000};  // how long the box may not answer
};

// One unit that came while the run went on, proven or not, once for each state of it that was pulled.
struct FollowedUnit {
    PulledUnit unit{};
    std::string directory{};  // absolute: where the pull landed
    WallTime at{};
};
using FollowSink = std::function<void(const FollowedUnit& unit)>;

struct FollowReport {
    PullReport last{};            // the whole pull after the run's end
    std::uint64_t units{0};       // proven while it went on
    std::uint64_t bytes{0};       // of those
    std::uint64_t wire_bytes{0};  // of all pulls together
};

// Looks, pulls what has settled since (docs/transfers.md, "Following"), and looks again, until the run has ended; then
// pulls once more, all that `options.pull` names. What is half-written is left for a later look. A box that does not
// answer is told as UNREACHABLE once and asked again with back-off; after `give_up` its error is the answer. Cancelled,
// out of time or refused, it ends with that error: what was proven until then has its receipts, and the same call goes
// on.
Result<FollowReport> follow_run(const Op& op, Deps& deps, const FollowOptions& options, const FollowSink& sink);

}  // namespace drawhitch::flow
