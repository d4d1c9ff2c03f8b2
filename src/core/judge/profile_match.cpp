#include "core/judge/profile_match.hpp"

#include <algorithm>

namespace drawhitch::judge {

EnvChoice choose_by_env(const model::MachineFacts& machine, std::span<const EnvMatch> profiles) {
    const auto is_set = [&](const std::string& name) {
        return std::ranges::find(machine.env, name) != machine.env.end() ||
               std::ranges::find(machine.container_env, name) != machine.container_env.end();
    };
    EnvChoice best{};
    for (const EnvMatch& each : profiles) {
        std::vector<std::string> found;
        std::ranges::copy_if(each.names, std::back_inserter(found), is_set);
        if (found.empty() || found.size() < best.found.size()) continue;
        if (found.size() > best.found.size()) best.rivals.clear();
        best.rivals.push_back(each.profile);
        best.found = std::move(found);
    }
    if (best.rivals.size() != 1) return {{}, {}, std::move(best.rivals)};
    best.profile = best.rivals.front();
    best.rivals.clear();
    return best;
}

}  // namespace drawhitch::judge
