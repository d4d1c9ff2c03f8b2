// "did you mean": the nearest of some words. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace drawhitch::cli {

// The candidate that a small slip of the fingers turns into `typed`: insertions, deletions, substitutions and swaps of
// neighbours, at most one per three letters (at least one), or a candidate that begins with `typed`.
std::optional<std::string> nearest(std::string_view typed, std::span<const std::string> candidates);

// A word that other programs taught people, and the command that does it here.
struct Habit {
    std::string_view word{};
    std::string_view verb{};
};
std::span<const Habit> habits();

// A command of the grammar that does not exist yet, and what works today instead.
struct Planned {
    std::string_view verb{};   // one word, or "lease import"
    std::string_view today{};  // one line, no full stop
    std::string_view next{};   // the command to type
};
std::span<const Planned> planned();

// Code::usage for a word that is no command: what is meant is told, be it planned, known by another name, or a slip of
// the fingers away from one of `candidates`.
Error unknown_word(std::string_view what, std::string_view typed, std::span<const std::string> candidates);

}  // namespace drawhitch::cli
