#include "core/plan/home_names.hpp"

#include <algorithm>
#include <array>

#include "core/plan/manifest.hpp"
#include "core/proto/limits.hpp"

namespace drawhitch::plan {

namespace {

constexpr std::array<std::string_view, 4> k_kept{k_manifest_name, k_sums_name, proto::k_private_dir, "_run"};

std::string_view first_part(std::string_view path) {
    return path.substr(0, path.find('/'));
}

// Of a kept name with any number of endings: how many bytes they are.
std::size_t endings_of(std::string_view part) {
    std::string_view bare = part;
    while (bare.ends_with(k_home_ending))
        bare.remove_suffix(k_home_ending.size());
    return std::ranges::find(k_kept, bare) == k_kept.end() ? std::string_view::npos : part.size() - bare.size();
}

}  // namespace

std::string home_name(std::string_view work_path) {
    const std::string_view part = first_part(work_path);
    std::string name{part};
    if (endings_of(part) != std::string_view::npos) name += k_home_ending;
    return name.append(work_path.substr(part.size()));
}

std::string work_name(std::string_view home_path) {
    const std::string_view part = first_part(home_path);
    const std::size_t endings = endings_of(part);
    if (endings == std::string_view::npos || endings == 0) return std::string{home_path};
    return std::string{part.substr(0, part.size() - k_home_ending.size())}.append(home_path.substr(part.size()));
}

}  // namespace drawhitch::plan
