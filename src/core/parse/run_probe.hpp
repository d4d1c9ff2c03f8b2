// The probe's answer (templates/box/probe.sh) as facts. Total: any bytes give facts, in which what could not be read is
// absent.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/run_facts.hpp"

namespace drawhitch::parse {

// What was asked of the probe, in the same order.
struct AskedRun {
    std::string name{};
    std::size_t patterns{0};
};

model::PollFacts run_probe(std::string_view text, std::string_view nonce, const std::vector<AskedRun>& asked);

// The lines `start=` and `exit=` of a section, as the launch script prints them, too.
void read_records(std::string_view body, model::RunFacts& facts);

}  // namespace drawhitch::parse
