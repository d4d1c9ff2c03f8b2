// Text lint: what an editor on another system did to a script and the box's shell will stumble over. Pure: whoever
// reads the files passes their bytes in; fixing makes new bytes, for the deployed copy only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace drawhitch::parse {

enum class Flaw {
    crlf,            // lines of a script end in \r\n
    bom,             // a byte order mark before the first line of a script
    shebang_cr,      // "#!/bin/sh\r": the interpreter's name ends in a carriage return
    not_executable,  // has a shebang, but may not be executed
};

// One line for people, for example "lines end in CRLF".
std::string_view describe(Flaw flaw);

// What is wrong with this file. `head` is its beginning, at least 64 KiB or all of it. Only what the box executes or
// sources is judged: files with a shebang, and those named like scripts (.sh, .py, Makefile …). Binary files have no
// flaws.
std::vector<Flaw> lint(std::string_view path, std::string_view head, bool is_executable);

// False as soon as a NUL byte shows up: text never contains one.
bool is_text(std::string_view bytes);

// The same text without a leading byte order mark and with \n line ends; a \r inside a line stays.
// Bytes that are not text come back unchanged.
std::string fix_eol(std::string_view bytes);
// Whether fix_eol would change anything.
bool needs_fix(std::string_view bytes);

}  // namespace drawhitch::parse
