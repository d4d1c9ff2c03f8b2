// Stand-ins: which whole checkpoint is named beside a damaged one. Names and times in, a name out; pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/time.hpp"

namespace drawhitch::model {

// A unit as it was saved: its name (a path relative to the run's work directory, or of its files) and the newest
// modification time of its files.
struct SavedUnit {
    std::string name{};
    WallTime saved{};
};

// What is alike in names that differ in their numbers alone, directories included: "ckpt-100.pt" and "ckpt-2000.pt" are
// of one series, "a/x-1.pt" and "b/x-1.pt" are not.
std::string series_of(std::string_view name);

struct StandIn {
    std::string name{};
    bool later{false};  // saved after the damaged one, for want of an earlier one
};
// Of the whole units in `good` that are of the damaged one's series: the newest of those saved before it, or else the
// oldest one saved after it. Nothing where there is none.
std::optional<StandIn> stand_in(const SavedUnit& damaged, std::span<const SavedUnit> good);

// "; NAME, saved before it, is whole", with the name made printable; empty where there is none.
std::string words_of(const std::optional<StandIn>& found);

}  // namespace drawhitch::model
