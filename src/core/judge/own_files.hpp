// The files drawhitch itself leaves on a box, known by place, exact name and size. Pure. A directory of ours explains
// nothing by itself: what lies in it under any other name, or is larger than such a file can be, was put there by
// somebody else.
#pragma once

#include <cstdint>
#include <string_view>

namespace drawhitch::judge {

// What a directory that was written to keeps for us.
inline constexpr std::string_view k_private_name = ".drawhitch";

// Small files that are ours wherever they lie: what fences a directory that was written to (`.drawhitch/epoch`, `gate`,
// `lock`), environment files and notes of wrappers in our folder on a volatile tier (`drawhitch-<uid>`), and the helper
// where the home directory had no place for it. `path` is absolute.
bool is_own_file(std::string_view path, std::uint64_t size);

// Whether `below`, a path relative to a directory that drawhitch wrote into, is a part of a file it did not finish, or
// was making when it was killed.
bool is_own_part(std::string_view below, std::uint64_t size);

// Whether `name`, right in a run's directory, is what the launch and the wrapper keep there besides the record that is
// pulled.
bool is_run_control(std::string_view name, std::uint64_t size);

// Whether a small file that is ours by its place and name holds what we write there. `path` is absolute, `content` all
// of the file. Files of other names are none of those that are read for this: whatever they hold will do.
bool holds_own_state(std::string_view path, std::string_view content);

// Whether holds_own_state has a say about the path.
bool is_own_state(std::string_view path);

}  // namespace drawhitch::judge
