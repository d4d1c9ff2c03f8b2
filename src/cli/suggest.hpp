// "did you mean": the nearest of some words. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace drawhitch::cli {

// The candidate that a small slip of the fingers turns into `typed`: insertions, deletions, substitutions and swaps of
// neighbours, at most one per three letters (at least one), or a candidate that begins with `typed`.
std::optional<std::string> nearest(std::string_view typed, std::span<const std::string> candidates);

}  // namespace drawhitch::cli
