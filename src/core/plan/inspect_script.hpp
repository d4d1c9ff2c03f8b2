// The script that asks a box what it is (templates/box/inspect.sh). Pure.
#pragma once

#include <string>
#include <vector>

namespace drawhitch::plan {

struct InspectPlace {
    std::string name{};  // plain word
    std::string path{};  // absolute, or "~…"
};

// `nonce` is hex, fresh for each call; parse::machine_facts reads the answer.
std::string inspect_script(const std::string& nonce, const std::vector<InspectPlace>& places);

}  // namespace drawhitch::plan
