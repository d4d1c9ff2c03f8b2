// The command the user typed, as a line to type again with something changed. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/parsed.hpp"

namespace drawhitch::cli {

// "drawhitch VERB BOX OPTIONS -- COMMAND" with the option `key` set to `value`. Values of variables that are named like
// credentials are left out, so that --env hands on what is set on the laptop. Nothing when a word is shaped like a
// secret: it stands in no message. `words` follow the box, as a run and patterns do.
std::optional<std::string> retyped(const Parsed& parsed, std::string_view box, std::string_view key,
                                   std::string_view value, std::span<const std::string> words = {});

// Words as one line that a shell would read as the same words.
std::string command_line(std::span<const std::string> words);

}  // namespace drawhitch::cli
