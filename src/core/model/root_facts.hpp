// RootFacts: what the file system below a lease's root can do, as the helper tried it out there. Values only.
#pragma once

#include <cstdint>
#include <string>

namespace drawhitch::model {

struct RootFacts {
    std::string boot_id{};  // of the box when it was tried out; another one says nothing about now
    bool hard_links{false};
    bool symlinks{false};
    bool rename_replaces{false};    // rename over an existing file works
    bool rename_no_replace{false};  // and can be told not to
    bool sparse{false};
    bool fsync{false};
    bool stable_inodes{false};
    bool case_folding{false};  // "A" finds "a"
    bool normalising{false};   // the decomposed form of a name finds the composed one
    bool exec{false};
    bool reflink{false};
    bool exec_bit{false};            // chmod +x is kept
    std::uint64_t mtime_step_ns{1};  // of a file's time
    std::uint64_t fs_type{0};        // f_type of statfs
    bool operator==(const RootFacts&) const = default;
};

}  // namespace drawhitch::model
