// The script that deletes our secret files from a box (templates/box/shred.sh). Pure.
#pragma once

#include <span>
#include <string>

namespace drawhitch::plan {

// `paths` are absolute, bytes. The answer names them by their number.
std::string shred_script(const std::string& nonce, std::span<const std::string> paths);

}  // namespace drawhitch::plan
