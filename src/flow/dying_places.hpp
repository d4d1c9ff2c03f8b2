// DyingPlaces: where on the laptop one sees the places of a box that die with it: through a box that is this machine,
// or through a mounted directory of it. A copy there is no copy. Reads the mark under the root and the table of mounts.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/judge/tier_map.hpp"
#include "core/model/lease.hpp"

namespace drawhitch::flow {

class DyingPlaces {
  public:
    // None.
    DyingPlaces() = default;
    DyingPlaces(const model::Lease& lease, const judge::TierMap& tiers);

    // Whether the file at this path (absolute, on the laptop) really lies in one of them, whatever links lead there.
    // False for what is not there.
    [[nodiscard]] bool holds(const std::string& path);

  private:
    struct Mount {
        std::string point{};   // absolute on the laptop
        std::string source{};  // what of the box lies there: absolute, or empty where nobody knows
    };
    [[nodiscard]] bool is_wiped(const std::string& box_path) const;
    bool carries_mark(const std::string& directory);

    model::Lease lease_{};
    const judge::TierMap* tiers_{nullptr};
    bool same_paths_{false};
    std::vector<Mount> mounts_{};
    std::map<std::string, bool> marked_{};  // by directory
};

}  // namespace drawhitch::flow
