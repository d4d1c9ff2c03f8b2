#include "core/judge/results.hpp"

#include <algorithm>

namespace drawhitch::judge {

namespace {

bool ended_well(model::VerdictKind kind) {
    using enum model::VerdictKind;
    return kind == done || kind == done_but_up || kind == artifacts_missing;
}

}  // namespace

bool left_nothing(const model::Roster& roster, model::VerdictKind verdict, bool found) {
    return !found && ended_well(verdict) && std::ranges::any_of(roster, [](const model::RosterItem& item) {
        return item.wanted == model::RosterClass::must;
    });
}

}  // namespace drawhitch::judge
