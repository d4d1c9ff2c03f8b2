// RunHistory: what is remembered between two polls of a run. Values only.
#pragma once

#include <cstdint>
#include <optional>

#include "core/model/progress.hpp"

namespace drawhitch::model {

// What must be remembered between polls of one attempt. Times are the box's.
struct RunHistory {
    std::int64_t attempt{0};
    std::optional<std::int64_t> progress_at{};  // when it last moved on
    std::int64_t longest_gap{0};                // seconds between two moves, the longest seen
    bool progressed{false};                     // a step or an artifact was ever seen to move
    Progress progress{};                        // the last one read
    std::uint64_t artifacts_seen{0};            // a fingerprint of counts, sizes and times
    std::int64_t log_size{0};
    bool operator==(const RunHistory&) const = default;
};

}  // namespace drawhitch::model
