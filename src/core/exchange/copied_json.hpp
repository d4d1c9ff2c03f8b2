// What `cp` did, as the ledger's events keep it: which files now have the same content on the box and on the laptop.
// Values in, text out, and back; pure. Names that are not UTF-8 appear as {"b64": "…"}.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace drawhitch::exchange {

// Kind of the event, one for so many files.
inline constexpr std::string_view k_copied_event = "cp.copied";
inline constexpr std::size_t k_copied_per_event = 500;
// Kind of the event that names a directory of the box before `cp` writes into it.
inline constexpr std::string_view k_writing_event = "cp.writing";

// The state of a file in which it was seen to hold what was copied. `ctime_ns` 0: nobody knows.
struct CopiedState {
    std::uint64_t ino{0};
    std::int64_t mtime_ns{0};
    std::int64_t ctime_ns{0};
    std::uint64_t size{0};
    bool operator==(const CopiedState&) const = default;
};

struct CopiedEntry {
    std::string path{};  // absolute on the box, bytes
    std::string root{};  // root digest, hex
    std::uint64_t size{0};
    std::string here{};   // absolute on the laptop, bytes: where the same content lay
    CopiedState state{};  // of the laptop's file
    bool operator==(const CopiedEntry&) const = default;
};

std::string copied_json(bool to_box, const std::vector<CopiedEntry>& files);
// None for what cannot be read.
std::vector<CopiedEntry> copied_of(std::string_view json);

// `makes_private`: its private directory was not there before, so that `cp` may remove it in the end.
std::string writing_json(const std::string& directory, bool makes_private);
// Empty for what cannot be read.
std::string writing_of(std::string_view json);
bool makes_private(std::string_view json);

}  // namespace drawhitch::exchange
