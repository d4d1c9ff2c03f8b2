// How many terminal columns a text takes, and cutting text to columns. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace drawhitch::term {

// Columns of an already printable text: 2 for wide East Asian characters and most emoji, 0 for combining marks, else 1.
std::size_t display_width(std::string_view text);

// The longest prefix of at most `columns` columns; a cut is shown by a final "…" (one column).
std::string cut_to_width(std::string_view text, std::size_t columns);

// `text` with spaces added up to `columns`; longer text is returned as it is.
std::string pad_right(std::string_view text, std::size_t columns);
std::string pad_left(std::string_view text, std::size_t columns);

// One line as several of at most `columns` columns (0: as it is), broken at blanks. The later ones stand below the text
// of the first: behind its label, where two blanks end one, else two columns further in. What stands between backticks
// stays whole, and so does a word that is longer than a line.
std::string broken_at(std::string_view line, std::size_t columns);

}  // namespace drawhitch::term
