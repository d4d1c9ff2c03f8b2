#include "core/model/stand_in.hpp"

#include <tuple>

#include "base/text.hpp"

namespace drawhitch::model {

namespace {

// Clocks of file systems tick slowly: where the times are equal, the larger number is the later one.
auto order_of(const SavedUnit& unit) {
    return std::make_tuple(unit.saved, unit.name.size(), std::string_view{unit.name});
}

}  // namespace

std::string series_of(std::string_view name) {
    std::string series;
    bool in_number = false;
    for (const char one : name) {
        const bool digit = is_digit(one);
        if (!digit || !in_number) series += digit ? '0' : one;
        in_number = digit;
    }
    return series;
}

std::optional<StandIn> stand_in(const SavedUnit& damaged, std::span<const SavedUnit> good) {
    const std::string series = series_of(damaged.name);
    const SavedUnit* before = nullptr;
    const SavedUnit* after = nullptr;
    for (const SavedUnit& unit : good) {
        if (unit.name == damaged.name || series_of(unit.name) != series) continue;
        if (order_of(unit) < order_of(damaged)) {
            if (before == nullptr || order_of(*before) < order_of(unit)) before = &unit;
        } else if (after == nullptr || order_of(unit) < order_of(*after)) {
            after = &unit;
        }
    }
    if (before != nullptr) return StandIn{before->name, false};
    if (after != nullptr) return StandIn{after->name, true};
    return std::nullopt;
}

std::string words_of(const std::optional<StandIn>& found) {
    if (!found) return {};
    return "; " + printable(found->name) + ", saved " + (found->later ? "after" : "before") + " it, is whole";
}

}  // namespace drawhitch::model
