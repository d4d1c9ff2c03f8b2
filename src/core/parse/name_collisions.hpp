// Names that are different on the box and the same on the laptop: file systems that ignore case or the Unicode form
// would let one file silently overwrite another, so they are found before anything is transferred. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace drawhitch::parse {

// What the destination does to names, as probed there.
struct NameRules {
    bool ignores_case{false};
    bool ignores_unicode_form{false};  // composed and decomposed letters are the same name
    [[nodiscard]] bool exact() const { return !ignores_case && !ignores_unicode_form; }
};

// What a destination with these rules compares. Covers the alphabets people name files in (Latin, Greek, Cyrillic,
// kana, Hangul) in their common letters; bytes that are not UTF-8 stay as they are. The text is a key, not for showing.
std::string fold_name(std::string_view name, const NameRules& rules);

// Two names of one directory (files or directories) that the destination cannot keep apart.
struct Collision {
    std::string first{};
    std::string second{};
    std::string rename{};  // a free path to which `second` could go
};

// The colliding pairs among these relative paths and their directories, in byte order, at most `most`. What lies below
// two colliding directories is not listed again.
std::vector<Collision> colliding_names(std::span<const std::string> paths, const NameRules& rules,
                                       std::size_t most = 100);

}  // namespace drawhitch::parse
