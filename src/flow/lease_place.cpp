#include "flow/lease_place.hpp"

#include "core/config/load_profile.hpp"
#include "core/model/profile.hpp"

namespace drawhitch::flow {

std::string data_dir_of(const model::Lease& lease) {
    const std::string below = "/drawhitch/" + lease.project;
    if (lease.root.size() <= below.size() || !lease.root.ends_with(below)) return {};
    return lease.root.substr(0, lease.root.size() - below.size());
}

bool anything_dies(const model::Lease& lease) {
    const auto loaded = config::load_profile(lease.profile_toml, lease.profile + ".toml", "");
    if (!loaded.ok()) return true;
    const model::MeterVerb* verb = model::find_verb(loaded.value, model::Verb::terminate);
    return verb == nullptr || !verb->destroys.empty();
}

}  // namespace drawhitch::flow
