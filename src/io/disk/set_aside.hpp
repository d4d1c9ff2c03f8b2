// Set aside: gives a file that is in the way another name beside its old one, NAME.kept-N. Owns nothing; never
// replaces anything, never follows a link, never leaves the directory.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "io/disk/root.hpp"

namespace drawhitch::disk {

// What lstat says of one state of one file: equal stamps, the same bytes. A write changes the change time, and no user
// can set that back.
struct Stamp {
    std::uint64_t ino{0};
    std::uint64_t size{0};
    std::int64_t mtime_ns{0};
    std::int64_t ctime_ns{0};  // 0: the stamp is not known, and equals none that lstat gives
    bool operator==(const Stamp&) const = default;
};
Stamp stamp_of(const struct stat& found);

// One move, relative to the destination.
struct MovedAside {
    std::string path{};  // the name it had
    std::string to{};    // the one it has now
    bool operator==(const MovedAside&) const = default;
};

// Names that must not be given to what is set aside, though nothing lies there yet: relative to the destination.
using NameTaken = std::function<bool(std::string_view path)>;

// Renames `path` (whose parent is the open `directory`) to the first NAME.kept-N that is free, N from 1; answers the
// new path. Code::exists when 100 000 of them are taken.
Result<std::string> set_aside(int directory, std::string_view path, const NameTaken& taken);
// Takes that back, unless something lies under the old name again: then the file stays where it was set aside.
Status set_back(int directory, const MovedAside& moved);
// The path that `set_aside` would give, for a plan.
std::string aside_path(const Root& root, std::string_view path, const NameTaken& taken);

}  // namespace drawhitch::disk
