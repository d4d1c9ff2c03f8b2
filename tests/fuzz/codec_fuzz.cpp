// First byte: a codec and how many bytes are announced. The rest: encoded bytes of a hostile peer, which must decode to
// the announced size or be refused; and raw bytes, which must come back the same through every codec, also
// on a base.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/codec/codec.hpp"
#include "core/proto/limits.hpp"

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
    if (bytes.size() > proto::k_chunk) return 0;
    // The first half as the base of the second, and what a hostile peer says is a difference to it.
    const std::string_view base = bytes.substr(0, bytes.size() / 2);
    const std::string_view after = bytes.substr(bytes.size() / 2);
    const auto sealed = codec.seal_on_base(0, std::string(after), base, codec::Choice{codec::supported(), 1});
    const auto opened = codec.open_on_base(sealed, base);
    if (!opened || *opened != after) std::abort();
    const proto::EncodedChunk lie{0, id, true, static_cast<std::uint32_t>(announced), sealed.leaf, std::string(bytes)};
    const auto believed = codec.open_on_base(lie, base);
    if (believed && *believed != after) std::abort();
    return 0;
}
