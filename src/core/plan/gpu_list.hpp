// The value of --gpus: "0-3", "0,2", or device names such as GPU-… and MIG-…. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace drawhitch::plan {

// The list as CUDA_VISIBLE_DEVICES takes it, "0,1,2,3". Code::usage for anything else, and for a GPU named twice.
Result<std::string> gpu_list(std::string_view text);

}  // namespace drawhitch::plan
