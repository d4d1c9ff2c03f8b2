// Any bytes into the frame decoder and the preamble finder, in two pieces.
#include "core/proto/frame.hpp"

#include <algorithm>

using namespace drawhitch;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const std::size_t cut = size == 0 ? 0 : std::min<std::size_t>(data[0], size);
    proto::FrameDecoder decoder;
    for (const std::string_view piece : {bytes.substr(0, cut), bytes.substr(cut)}) {
        decoder.feed(piece);
        for (auto frame = decoder.next(); frame && *frame; frame = decoder.next()) {
        }
    }
    proto::PreambleFinder finder("0123456789abcdef");
    (void)finder.feed(bytes);
    return 0;
}
