// What a local file system has left. Facts only.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"

namespace drawhitch::disk {

struct Space {
    std::uint64_t free_bytes{0};  // for a user without privileges
    std::uint64_t free_inodes{0};
    bool counts_inodes{true};  // false: the file system makes inodes as needed (btrfs, some network tiers)
    bool read_only{false};
    std::string mount{};  // where the file system is mounted, for messages; the asked path if it cannot be told
};

// Of the file system that holds `path`; of its nearest existing parent if it does not exist yet.
Result<Space> space_at(const std::string& path);

// "No space" is what a file system without inodes says, too: looks which of the two it is and names the mount and what
// is left. Any other error is passed through.
Error explain_full(Error error, const std::string& path);

}  // namespace drawhitch::disk
