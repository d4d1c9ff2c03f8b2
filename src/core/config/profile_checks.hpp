// What a profile may not claim: checks between keys, told at the place of the key to mend. Part of load_profile.
#pragma once

#include <string_view>
#include <vector>

#include "core/config/reader.hpp"
#include "core/model/profile.hpp"

namespace drawhitch::config {

void check_platform_id(Reader& table, std::string_view id, std::string_view wanted);
void check_login_name(Reader& table, std::string_view user);
// The tier against itself and the tiers read before it.
void check_storage(Reader& table, const model::Storage& tier, const model::Profile& before);
// Every name is a tier of the profile.
void check_storage_names(Reader& table, const model::Profile& profile, const std::vector<Text>& names);
void check_paths(Reader& table, const model::Profile& profile);
// A tier either survives a verb or is destroyed by it: both lists must say the same.
void check_verb(Reader& table, const model::MeterVerb& verb, const model::Profile& before);
void check_env_name(Reader& table, const Text& name);
// A variable for runs: a valid name, and no secret, because profiles are shown and copied.
void check_env_entry(Reader& table, std::string_view name, const Text& value);
void check_host_pattern(Reader& table, const Text& pattern);

// Why a path cannot be one on a box ("" when it can): not absolute and not under "~", or with "..", a control
// character or a placeholder in it.
std::string bad_box_path(std::string_view path);

}  // namespace drawhitch::config
