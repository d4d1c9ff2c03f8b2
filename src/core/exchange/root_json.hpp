// The facts of a root as the ledger keeps them with its lease: {"boot_id": …, "hard_links": true, …}.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/model/root_facts.hpp"

namespace drawhitch::exchange {

std::string root_json(const model::RootFacts& facts);

// Nothing for a text that does not have every fact: then the root counts as not tried out.
std::optional<model::RootFacts> read_root_json(std::string_view text);

}  // namespace drawhitch::exchange
