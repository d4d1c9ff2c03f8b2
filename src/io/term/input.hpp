// Input: reading from what may stay silent for ever (a pipe, a terminal) without missing Ctrl-C or the deadline. What
// is read is not looked at here.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/op.hpp"
#include "base/result.hpp"

namespace drawhitch::term {

// Blocks until `fd` can be read or has ended. Code::cancelled and Code::deadline as in Op::check; `what` names the
// source in the error of a descriptor that cannot be waited for.
Status wait_readable(const Op& op, int fd, std::string_view what);

// Reads what is there, one byte at least, blocking as above; 0 at the end.
Result<std::size_t> read_some(const Op& op, int fd, std::span<char> buffer, std::string_view what);

}  // namespace drawhitch::term
