#include "core/plan/pull_order.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "core/proto/path.hpp"

namespace drawhitch::plan {

std::vector<PullDirectory> pull_order(std::span<const Unit> units, std::span<const proto::FileEntry> entries,
                                      const Rank& rank) {
    std::vector<PullDirectory> directories;
    std::vector<std::size_t> soonest;  // of each directory
    std::vector<std::size_t> of_unit(units.size(), std::numeric_limits<std::size_t>::max());
    std::map<std::string, std::size_t, std::less<>> known;
    for (std::size_t i = 0; i < units.size(); ++i) {
        const Unit& unit = units[i];
        for (const std::size_t file : unit.files)
            of_unit[i] = std::min(of_unit[i], rank(entries[file].path));
        std::string path = unit.kind == UnitKind::directory ? unit.name : std::string{proto::path_parent(unit.name)};
        const auto [place, fresh] = known.try_emplace(path, directories.size());
        if (fresh) {
            directories.push_back({std::move(path), {}});
            soonest.push_back(of_unit[i]);
        }
        directories[place->second].units.push_back(i);
        soonest[place->second] = std::min(soonest[place->second], of_unit[i]);
    }
    std::vector<std::size_t> order(directories.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return soonest[i]; });
    std::vector<PullDirectory> sorted;
    sorted.reserve(order.size());
    for (const std::size_t i : order) {
        std::ranges::stable_sort(directories[i].units, {}, [&](std::size_t unit) { return of_unit[unit]; });
        sorted.push_back(std::move(directories[i]));
    }
    return sorted;
}

}  // namespace drawhitch::plan
