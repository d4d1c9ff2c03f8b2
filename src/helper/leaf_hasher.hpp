// Leaves of an open file, hashed beside each other on several cores: a part of many gigabytes is proven while somebody
// waits for it. Knows nothing of fences.
#pragma once

#include <cstdint>
#include <vector>

#include "core/proto/digest.hpp"

namespace drawhitch::helper {

// Cores this process may use, at least 1.
unsigned usable_cores();

struct HashedLeaves {
    std::vector<proto::Digest> leaves{};
    int error{0};     // an errno: some of it could not be read
    bool cut{false};  // the file ends before
};

// `begin` is a multiple of the leaf size. `threads` may be what it likes: where the box lets us have fewer (a limit of
// processes), fewer do it.
HashedLeaves hash_leaves(int fd, std::uint64_t begin, std::uint64_t bytes, unsigned threads);

}  // namespace drawhitch::helper
