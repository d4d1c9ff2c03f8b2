// Runs as JSON: the record that lies beside a run's work tree on the box, and what is remembered between polls. Names
// and words that are not UTF-8 appear as {"b64": "…"}. No value of a hidden variable is ever in it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "core/model/run.hpp"
#include "core/model/run_history.hpp"

namespace drawhitch::exchange {

struct RunRecord {
    const model::RunSpec& spec;
    std::int64_t attempt{1};
    std::string token{};
    WallTime created{};     // the laptop's clock
    std::string threads{};  // how the thread share came about, in words
    std::string version{};  // of drawhitch
};

// One object, ending in a newline.
std::string run_json(const RunRecord& record);

std::string history_json(const model::RunHistory& history);
// An empty history for what cannot be read.
model::RunHistory history_of(std::string_view json);

}  // namespace drawhitch::exchange
