// Chunks of several unlike tensors: packed piece by piece, and what a hostile peer can make of that form.
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <random>

#include "core/codec/codec.hpp"
#include "core/proto/limits.hpp"

using namespace drawhitch;
using namespace drawhitch::codec;
using proto::CodecId;

namespace {

constexpr std::size_t k_piece = 128U << 10U;
const Choice k_everything{supported(), 1};
const Choice k_uncut{supported() & ~proto::codec_bit(CodecId::segments), 1};

// fp32 weights of one deviation, as many as fill `size` bytes.
std::string tensor(std::size_t size, float deviation, std::uint32_t seed) {
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal(0, deviation);
    std::string raw;
    while (raw.size() < size) {
        const auto bits = std::bit_cast<std::uint32_t>(normal(generator));
        for (unsigned byte = 0; byte < 4; ++byte)
            raw.push_back(static_cast<char>(static_cast<unsigned char>(bits >> (8 * byte))));
    }
    raw.resize(size);
    return raw;
}

// Tensors as a training state has them: of magnitudes far apart, one of zeros, one of noise, one of text.
std::string mixed(std::size_t size) {
    std::string raw = tensor(k_piece, 1e-2F, 1) + std::string(k_piece, '\0') + tensor(k_piece, 1e-6F, 2);
    std::mt19937 generator(5);
    for (std::size_t at = 0; at < k_piece; ++at)
        raw.push_back(static_cast<char>(generator()));
    for (int line = 0; raw.size() < 5 * k_piece; ++line)
        raw += "step " + std::to_string(line) + " loss 0.25\n";
    raw.resize(5 * k_piece);
    raw += tensor(k_piece, 1e-10F, 3) + tensor(k_piece, 10.0F, 4) + tensor(k_piece, 1e-4F, 6);
    raw.resize(size);
    return raw;
}

}  // namespace

TEST_CASE("a chunk of unlike tensors is packed piece by piece, and smaller for it") {
    Codec codec;
    for (const std::size_t size : {proto::k_chunk, proto::k_chunk - 1, 3 * k_piece + 1}) {
        const std::string raw = mixed(size);
        const Encoded encoded = codec.encode(raw, k_everything);
        REQUIRE(encoded.codec == CodecId::segments);
        CHECK(encoded.bytes.size() < codec.encode(raw, k_uncut).bytes.size());
        const auto again = codec.decode(encoded.codec, encoded.bytes, raw.size());
        REQUIRE(again);
        CHECK(*again == raw);
    }
}

TEST_CASE("like tensors stay one piece, and a side that does not know pieces gets none") {
    Codec codec;
    CHECK(codec.encode(tensor(proto::k_chunk, 0.02F, 9), k_everything).codec == CodecId::planes);
    CHECK(codec.encode(mixed(proto::k_chunk), k_uncut).codec != CodecId::segments);
}

TEST_CASE("any mixture comes back the same") {
    Codec codec;
    std::mt19937 generator(std::random_device{}());
    const auto seed = static_cast<std::uint32_t>(generator());
    INFO("seed " << seed);
    generator.seed(seed);
    for (int round = 0; round < 20; ++round) {
        std::string raw;
        const std::size_t size = generator() % proto::k_chunk + 1;
        while (raw.size() < size) {
            const std::size_t some = generator() % k_piece + 1;
            switch (generator() % 4) {
                case 0:
                    raw += std::string(some, static_cast<char>(generator() % 3));
                    break;
                case 1:
                    raw += tensor(some, 1e-3F, static_cast<std::uint32_t>(generator()));
                    break;
                case 2:
                    raw += tensor(some, 1e-9F, static_cast<std::uint32_t>(generator()));
                    break;
                default:
                    raw += "a few words of text, again and again ";
                    break;
            }
        }
        raw.resize(size);
        const Encoded encoded = codec.encode(raw, k_everything);
        REQUIRE(encoded.bytes.size() <= raw.size());
        const auto again = codec.decode(encoded.codec, encoded.bytes, raw.size());
        REQUIRE(again);
        REQUIRE(*again == raw);
    }
}

TEST_CASE("every prefix and every changed byte of a chunk in pieces is noticed") {
    Codec codec;
    const std::string raw = mixed(3 * k_piece + 77);
    proto::EncodedChunk chunk = codec.seal(3, raw, k_everything);
    REQUIRE(chunk.codec == CodecId::segments);
    REQUIRE(codec.open(chunk));
    const std::string whole = chunk.bytes;
    // The heads byte by byte; the pieces, a few hundred thousand bytes, in steps.
    for (std::size_t i = 0; i < whole.size(); i += i < 300 ? 1 : 997) {
        CAPTURE(i);
        chunk.bytes = whole.substr(0, i);
        REQUIRE_FALSE(codec.open(chunk));
        chunk.bytes = whole;
        chunk.bytes[i] = static_cast<char>(chunk.bytes[i] ^ 0x40);
        const auto opened = codec.open(chunk);
        if (opened) REQUIRE(*opened == raw);
    }
}

TEST_CASE("pieces in pieces, sizes out of range and bytes left over are refused") {
    Codec codec;
    const auto refused = [&](std::string encoded, std::size_t size) {
        const auto decoded = codec.decode(CodecId::segments, encoded, size);
        return !decoded && decoded.error().code == Code::protocol;
    };
    const std::string stored_head{"\x11\x00\x03\x00\x00\x00", 6};
    CHECK(*codec.decode(CodecId::segments, stored_head + "abc", 3) == "abc");
    CHECK(refused(stored_head + "abcd", 3));
    CHECK(refused(stored_head + "ab", 3));
    CHECK(refused(stored_head + "abc", 4));
    CHECK(refused("", 0));
    CHECK(refused(std::string{"\x11\x04\x09\x00\x00\x00", 6} + stored_head + "abc", 3));  // a piece in pieces
    CHECK(refused(std::string{"\x11\x05\x03\x00\x00\x00", 6} + "abc", 3));                // a codec nobody knows
    CHECK(refused(std::string{"\x0D\x00\x03\x00\x00\x00", 6} + "abc", 3));                // pieces too small
    CHECK(refused(std::string{"\x15\x00\x03\x00\x00\x00", 6} + "abc", 3));                // and too large
    CHECK(refused(std::string{"\xFF\x00\x03\x00\x00\x00", 6} + "abc", 3));
    CHECK(refused(std::string{"\x11\x00\xFF\xFF\xFF\xFF", 6} + "abc", 3));       // longer than what is there
    CHECK(refused(std::string{"\x0E\x01\x00\x00\x00\x00", 6}, proto::k_chunk));  // one head for 64 pieces
}
