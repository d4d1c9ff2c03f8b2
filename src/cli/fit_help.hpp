// fit_help: help pages in the width of a terminal. Pure text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace drawhitch::cli {

// Where there is no terminal.
inline constexpr std::size_t k_help_width = 80;

// The page with its long lines wrapped, so that no line is wider than `width` unless a single word is. Paragraphs with
// such a line are filled anew; entries of two columns go on under their second one; examples of commands go on behind a
// backslash and comments of a TOML file behind "#", so that both can be copied. Lines that fit stay as they are. Lines
// beyond 100 columns are hard to read: a wider terminal counts as that, one narrower than 40 as 40.
std::string fit_help(std::string_view page, std::size_t width);

}  // namespace drawhitch::cli
