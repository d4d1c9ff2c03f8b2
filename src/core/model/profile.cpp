#include "core/model/profile.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace drawhitch::model {

namespace {

// The components of a path without empty ones and ".", so that "/a//b/" and "/a/b" are the same place.
std::vector<std::string_view> components(std::string_view path) {
    std::vector<std::string_view> parts;
    for (std::string_view part : split(path, '/')) {
        if (!part.empty() && part != ".") parts.push_back(part);
    }
    return parts;
}

// How many components of `path` the tier's path covers, or -1. "/" covers every path, "~" included: homes lie on it
// unless a tier says otherwise.
int depth_of(const Storage& tier, std::string_view path) {
    if (tier.path.empty() || path.empty()) return -1;
    const auto tier_parts = components(tier.path);
    if (tier_parts.empty()) return 0;
    const auto parts = components(path);
    if ((tier.path.front() == '/') != (path.front() == '/')) return -1;
    if (tier_parts.size() > parts.size()) return -1;
    return std::equal(tier_parts.begin(), tier_parts.end(), parts.begin()) ? static_cast<int>(tier_parts.size()) : -1;
}

}  // namespace

const Storage* find_storage(const Profile& profile, std::string_view name) {
    const auto at = std::find_if(profile.storage.begin(), profile.storage.end(),
                                 [&](const Storage& tier) { return tier.name == name; });
    return at == profile.storage.end() ? nullptr : &*at;
}

const Storage* storage_of(const Profile& profile, std::string_view path) {
    const Storage* best = nullptr;
    int best_depth = -1;
    for (const Storage& tier : profile.storage) {
        const int depth = depth_of(tier, path);
        if (depth < 0 || depth < best_depth) continue;
        if (depth == best_depth && best != nullptr && best->survives.size() <= tier.survives.size()) continue;
        best = &tier;
        best_depth = depth;
    }
    return best;
}

bool survives(const Storage& storage, Downtime event) {
    return std::find(storage.survives.begin(), storage.survives.end(), event) != storage.survives.end();
}

const MeterVerb* find_verb(const Profile& profile, Verb verb) {
    const auto at = std::find_if(profile.meter.verbs.begin(), profile.meter.verbs.end(),
                                 [&](const MeterVerb& row) { return row.name == verb; });
    return at == profile.meter.verbs.end() ? nullptr : &*at;
}

}  // namespace drawhitch::model
