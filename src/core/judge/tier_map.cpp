#include "core/judge/tier_map.hpp"

#include <algorithm>

#include "core/judge/box_path.hpp"

namespace drawhitch::judge {

namespace {

std::string place_of(const std::string& path, std::string_view home) {
    if (!path.starts_with('~')) return clean_box_path(path);
    if (home.empty() || (path.size() > 1 && path[1] != '/')) return {};
    return clean_box_path(std::string{home} + path.substr(1));
}

}  // namespace

TierMap::TierMap(const model::Profile& profile, const model::MeterVerb& verb, std::string_view home) {
    for (const model::Storage& storage : profile.storage) {
        Tier tier{storage.name, place_of(storage.path, home), false, storage.bills_after_destroy};
        tier.destroyed = std::ranges::find(verb.destroys, storage.name) != verb.destroys.end();
        if (tier.destroyed && tier.path.empty() && !storage.path.empty()) unplaced_.push_back(tier.name);
        tiers_.push_back(std::move(tier));
    }
}

bool TierMap::dies(std::string_view path) const {
    std::size_t nearest = 0;
    bool destroyed = true;
    for (const Tier& tier : tiers_) {
        if (tier.path.empty() || !is_inside(path, tier.path) || tier.path.size() < nearest) continue;
        destroyed = tier.path.size() > nearest ? tier.destroyed : destroyed || tier.destroyed;
        nearest = tier.path.size();
    }
    return destroyed;
}

std::vector<std::string> TierMap::wiped() const {
    std::vector<std::string> paths{};
    for (const Tier& tier : tiers_)
        if (tier.destroyed && !tier.path.empty()) paths.push_back(tier.path);
    return paths;
}

std::vector<std::string> TierMap::surviving() const {
    std::vector<std::string> paths{};
    for (const Tier& tier : tiers_)
        if (!tier.destroyed && !tier.path.empty()) paths.push_back(tier.path);
    return paths;
}

std::vector<std::string> TierMap::unplaced() const {
    return unplaced_;
}

bool TierMap::any_dies() const {
    return std::ranges::any_of(tiers_, [](const Tier& tier) { return tier.destroyed; });
}

}  // namespace drawhitch::judge
