// DyingPlaces: where on the laptop one sees the places of a box that die with it: through a box that is this machine,
// or through a mounted directory of it. A copy there is no copy. Reads the mark under the root and the table of mounts.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/judge/tier_map.hpp"
#include "core/model/lease.hpp"

namespace drawhitch::flow {

class DyingPlaces {
  public:
    // None.
    DyingPlaces() = default;
    // `tiers` outlives it. The mounts are those of this machine now.
    DyingPlaces(const model::Lease& lease, const judge::TierMap& tiers);
    // `mounts` has the form of /proc/self/mountinfo.
    DyingPlaces(const model::Lease& lease, const judge::TierMap& tiers, std::string_view mounts);

    // Whether the file at this path (absolute, on the laptop; itself no link) really lies in one of them, whatever
    // links lead to its directory. False where that directory is not there. Where directories lead is asked once each.
    [[nodiscard]] bool holds(const std::string& path);

    // Whether the box is this very machine.
    [[nodiscard]] bool is_this_machine() const { return same_paths_; }

  private:
    struct Mount {
        std::string point{};   // absolute on the laptop
        std::string source{};  // what of the box lies there: absolute, or empty where nobody knows
    };
    void read_mount(std::string_view line);
    const std::string& real_directory(const std::string& path);
    [[nodiscard]] bool is_wiped(const std::string& box_path) const;
    bool carries_mark(const std::string& directory);

    model::Lease lease_{};
    const judge::TierMap* tiers_{nullptr};
    bool same_paths_{false};
    std::vector<Mount> mounts_{};
    std::map<std::string, bool> marked_{};              // by directory
    std::map<std::string, std::string> directories_{};  // where each really lies; empty: not there
};

}  // namespace drawhitch::flow
