// What plan::usage_script prints, as facts. Total: any bytes give facts; what was cut off leaves `complete` false.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/mount.hpp"

namespace drawhitch::parse {

struct UsagePlace {
    std::string real{};  // absolute and free of links; empty where the path leads nowhere, or nowhere we may go
    bool missing{false};
};

struct UsagePlaces {
    std::vector<UsagePlace> places{};  // one per path asked for, in order
    std::vector<model::Mount> mounts{};
    bool complete{false};
};

UsagePlaces usage_places(std::string_view text, std::string_view nonce, std::size_t asked);

}  // namespace drawhitch::parse
