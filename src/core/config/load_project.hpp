// Loads drawhitch.toml, and says which of its keys wait for `drawhitch trust`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/config/problem.hpp"
#include "core/model/project.hpp"

namespace drawhitch::config {

inline constexpr std::string_view k_project_file_name = "drawhitch.toml";

// `file` is how messages call it. Keys that this version keeps but does not act on yet are warned about by name.
Loaded<model::Project> load_project(std::string_view text, std::string_view file);

// One key that could make a cloned project dangerous, with what it would do: "pull.verify_cmd = python check.py".
struct TrustItem {
    std::string key{};
    std::string value{};  // canonical text; may hold any bytes
};

// The keys of the design's trust rule that this project sets: commands run on the laptop, commands run on the box
// behind the user's back, the laptop's variables and files that look like secrets. Empty = nothing to trust. In a fixed
// order.
std::vector<TrustItem> keys_needing_trust(const model::Project& project);

// What is hashed and pinned: the file's path and the items, unambiguous whatever bytes they hold. The same items in
// another place, or one letter changed, give another text.
std::string trust_text(std::string_view file, const std::vector<TrustItem>& items);

// The project without the keys that need trust: what is in force until it is given.
model::Project without_untrusted(model::Project project);

// A project's name made from its directory's name: other bytes than letters, digits, '.', '_' and '-' become '-'.
std::string name_from_directory(std::string_view directory);

}  // namespace drawhitch::config
