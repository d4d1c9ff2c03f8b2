// What a box, a project or a run may be called: plain names of a bounded length, checked before anything is sent or
// kept.
#pragma once

#include <string_view>

#include "base/result.hpp"

namespace drawhitch::flow {

// Code::usage for a name that may not be given; `of` is "box", "project" or "run". `next` is the caller's.
Status check_called(std::string_view name, std::string_view of);

}  // namespace drawhitch::flow
