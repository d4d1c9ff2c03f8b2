// The script that asks a box where paths really lie and what is mounted (templates/box/usage.sh). Pure.
#pragma once

#include <string>
#include <vector>

namespace drawhitch::plan {

// `nonce` is hex, fresh for each call; paths are absolute or "~…". parse::usage_places reads the answer.
std::string usage_script(const std::string& nonce, const std::vector<std::string>& paths);

}  // namespace drawhitch::plan
