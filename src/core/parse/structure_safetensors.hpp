// What a safetensors file has, for those who compare it with an index. Private to core/parse/structure*.cpp; its Errors
// are those of structure_bytes.hpp.
#pragma once

#include <set>
#include <string>

#include "core/parse/structure_bytes.hpp"

namespace drawhitch::parse {

// The names of the tensors of a whole file.
Result<std::set<std::string>> tensor_names(Reader& safetensors);

}  // namespace drawhitch::parse
