// Bandwidths as people write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace drawhitch::config {

// Bytes a second of "20M" or "500k" (powers of 1024, as sizes elsewhere), "160mbit" (10^6 bits), each with or without
// "/s"; 0 for "none", no limit. Nothing for other words, and for less than k_least_rate: no transfer would end.
std::optional<std::uint64_t> parse_rate(std::string_view word);
inline constexpr std::uint64_t k_least_rate = 10U << 10U;

inline constexpr std::string_view k_rate_words =
    "a rate from 10k up, like 20M or 500k (bytes a second) or 160mbit, or none";

}  // namespace drawhitch::config
