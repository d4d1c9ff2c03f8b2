// How hard the box should pack what it sends: as hard as it can without becoming slower than the link. Pure.
#pragma once

#include <cstdint>

#include "core/proto/codec_id.hpp"

namespace drawhitch::plan {

// What is known of one connection and the box behind it.
struct PackingFacts {
    std::uint64_t delivery{0};   // bytes a second that come over this connection, packed; 0: not known yet
    double grows{1.0};           // raw bytes for each of those
    std::int64_t round_trip{0};  // nanoseconds; 0: not known yet
    unsigned cores{1};           // of the box
    std::size_t connections{1};  // each is served by a process of one thread
    proto::CodecSet codecs{0};   // that both ends can do
};

struct Packing {
    proto::CodecSet codecs{0};
    std::uint8_t level{0};  // of zstd; 0 = the helper's choice
    bool operator==(const Packing&) const = default;
};

// All codecs at the helper's level where the link is what limits; the fast ones at zstd's lowest level where the
// processor might; none where even those could not keep the link filled.
Packing packing_for(const PackingFacts& facts);

}  // namespace drawhitch::plan
