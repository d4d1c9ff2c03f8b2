// The one shape of an error on standard error.
#pragma once

#include <string>

#include "base/error.hpp"

namespace drawhitch::cli {

// "error[E-HOSTKEY]: message", then "while:", "why:" and "next:" lines where there is something to say. Printable; each
// line ends with a line end.
std::string render_error(const Error& error, bool color);

}  // namespace drawhitch::cli
