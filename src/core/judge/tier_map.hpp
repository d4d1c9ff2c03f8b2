// TierMap: a profile's storage tiers as places on one box under one verb. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/profile.hpp"

namespace drawhitch::judge {

struct Tier {
    std::string name{};
    std::string path{};  // absolute on the box; empty: off the box
    bool destroyed{false};
    bool bills_after{false};
};

class TierMap {
  public:
    // `home` is the login user's, absolute; a tier below "~" lies there. A tier whose place cannot be told ("~" without
    // a known home) keeps an empty path and, if it is destroyed, is `unplaced`.
    TierMap(const model::Profile& profile, const model::MeterVerb& verb, std::string_view home);

    [[nodiscard]] const std::vector<Tier>& tiers() const { return tiers_; }
    // Whether what lies at the path dies: the nearest tier by component decides, the worse one where two share a path;
    // a path on no tier dies with the box.
    [[nodiscard]] bool dies(std::string_view path) const;
    // Absolute paths of the tiers that die, and of those that survive.
    [[nodiscard]] std::vector<std::string> wiped() const;
    [[nodiscard]] std::vector<std::string> surviving() const;
    // Names of destroyed tiers that have no place on the box: nobody can look at them.
    [[nodiscard]] std::vector<std::string> unplaced() const;
    [[nodiscard]] bool any_dies() const;

  private:
    std::vector<Tier> tiers_{};
    std::vector<std::string> unplaced_{};
};

}  // namespace drawhitch::judge
