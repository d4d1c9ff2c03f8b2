// What plan::inspect_script prints -> model::MachineFacts. Pure and total: what is missing or odd stays unknown.
#pragma once

#include <string_view>

#include "core/model/machine.hpp"

namespace drawhitch::parse {

struct Inspected {
    model::MachineFacts facts{};
    bool complete{false};  // the script ran to its end
};

Inspected machine_facts(std::string_view text, std::string_view nonce);

}  // namespace drawhitch::parse
