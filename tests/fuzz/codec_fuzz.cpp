// First byte: a codec and how many bytes are announced. The rest: encoded bytes of a hostile peer, which must decode to
// the announced size or be refused; and raw bytes, which must come back the same through every codec.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/codec/codec.hpp"

using namespace drawhitch;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 3) return 0;
    const auto id = static_cast<proto::CodecId>(data[0] % 5U);
    const std::size_t announced = data[1] * 16U + data[2];
    const std::string_view bytes{reinterpret_cast<const char*>(data + 3), size - 3};
    codec::Codec codec;
    const auto decoded = codec.decode(id, bytes, announced);
    if (decoded && decoded->size() != announced) std::abort();

    const proto::CodecSet only = data[0] % 8U < 4 ? codec::supported() : proto::codec_bit(proto::CodecId::planes);
    const codec::Encoded encoded = codec.encode(bytes, codec::Choice{only, 1});
    const auto again = codec.decode(encoded.codec, encoded.bytes, bytes.size());
    if (!again || *again != bytes || encoded.bytes.size() > bytes.size()) std::abort();
    return 0;
}
