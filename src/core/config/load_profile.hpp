// Loads a profile: TOML text -> model::Profile, reporting everything that is wrong with it at once. What the profile
// claims about money and data must be complete and free of contradictions, because the gate believes it.
#pragma once

#include <string_view>

#include "base/time.hpp"
#include "core/config/problem.hpp"
#include "core/model/profile.hpp"

namespace drawhitch::config {

// The newest `schema` this program understands.
inline constexpr int k_profile_schema = 1;

// `file` is how messages call it; `id` is the name it was asked for by, which platform.id must equal ("" = any).
Loaded<model::Profile> load_profile(std::string_view text, std::string_view file, std::string_view id);

// Whole days from the day the facts were verified to `now`; negative when that day lies ahead.
int age_days(model::Date verified_on, WallTime now);

}  // namespace drawhitch::config
