// Small text tools shared by all rooms. Names are bytes; what is shown is always escaped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace drawhitch {

// POSIX shell quoting: 'a'\''b'. Safe for any bytes but NUL, which is dropped by contract of the caller.
std::string shell_quote(std::string_view text);

// One word of a command to type: as it is where no shell would read anything into it, else quoted.
std::string shell_word(std::string_view text);

// For terminals and errors: control characters, DEL, invalid UTF-8, and direction overrides become \xNN escapes; valid
// UTF-8 text stays.
std::string printable(std::string_view bytes);

bool is_valid_utf8(std::string_view bytes);

struct CodePoint {
    std::uint32_t value{0};
    std::size_t length{0};  // bytes taken; 0: the text does not begin with valid UTF-8
};
// Decodes the first sequence of a non-empty text; rejects overlong forms, surrogates and values above U+10FFFF.
CodePoint decode_utf8(std::string_view bytes);
// False for characters that move a cursor, start an escape, turn the direction of text or break a row.
bool is_harmless(std::uint32_t code_point);

std::string hex(std::string_view bytes);
// Empty when `text` is not an even number of hex digits.
std::string unhex(std::string_view text);
std::string base64(std::string_view bytes);

// "17 B", "4.0 KiB", "512 MiB", "1.5 GiB".
std::string human_bytes(std::uint64_t bytes);

// "1 file", "3 files"; `many` where an s does not do ("entries").
std::string counted(std::uint64_t count, std::string_view one, std::string_view many = {});

std::vector<std::string_view> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);
// The rest of `text` behind `start`; empty when it does not begin so.
std::string_view behind(std::string_view text, std::string_view start);
// ASCII alone, whatever the locale.
bool is_digit(char c);
std::string lower(std::string_view text);
std::string join(std::span<const std::string> parts, std::string_view separator);

// True when every byte is a letter, digit, '.', '_' or '-' and the text is neither empty nor starts with '-' or '.'.
// The set allowed for box, run and project names.
bool is_plain_name(std::string_view text);

// Bytes a box, run or project may be called with. The longest file name that is made of them on a box,
// "PROJECT.RUN.TOKEN.env", stays within the 255 that Linux takes.
inline constexpr std::size_t k_called_most = 100;

}  // namespace drawhitch
