// Refuses a pull whose names the destination cannot keep apart, before anything is transferred.
#pragma once

#include <span>
#include <string>

#include "base/result.hpp"
#include "core/parse/name_collisions.hpp"

namespace drawhitch::flow {

// Code::usage with the pairs and a free name for each; ok when all names are different under `rules`. `where` is the
// destination as shown.
Status check_names(std::span<const std::string> paths, const parse::NameRules& rules, const std::string& where);

}  // namespace drawhitch::flow
