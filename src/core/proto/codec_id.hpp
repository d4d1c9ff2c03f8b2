// The numbers of the codecs on the wire. What they do: core/codec/codec.hpp.
#pragma once

#include <cstdint>

namespace drawhitch::proto {

enum class CodecId : std::uint8_t {
    stored,    // the raw bytes
    zero,      // all bytes are zero; encoded in no bytes
    zstd,      // one frame
    planes,    // bytes of numbers regrouped by significance (docs/protocol.md, "Planes")
    segments,  // cut into pieces, each by one of the above (docs/protocol.md, "Segments")
};
constexpr CodecId last_of(CodecId) {
    return CodecId::segments;
}

// A set of codecs: bit n is CodecId n. `stored` and `zero` are always allowed.
using CodecSet = std::uint32_t;
constexpr CodecSet codec_bit(CodecId codec) {
    return CodecSet{1} << static_cast<unsigned>(codec);
}
constexpr bool allows(CodecSet set, CodecId codec) {
    return codec == CodecId::stored || codec == CodecId::zero || (set & codec_bit(codec)) != 0;
}

}  // namespace drawhitch::proto
