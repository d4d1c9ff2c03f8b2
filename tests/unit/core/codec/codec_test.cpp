#include "core/codec/codec.hpp"

#include <catch2/catch_test_macros.hpp>

#include <random>

#include "core/proto/limits.hpp"

using namespace drawhitch;
using namespace drawhitch::codec;
using proto::CodecId;

namespace {

std::string random_text(std::size_t size, std::uint32_t seed = 7) {
    std::mt19937 generator(seed);
    std::string text(size, '\0');
    for (char& c : text)
        c = static_cast<char>(generator());
    return text;
}

std::string plain_text(std::size_t size) {
    std::string text;
    while (text.size() < size)
        text += "step " + std::to_string(text.size()) + " loss 0.25\n";
    text.resize(size);
    return text;
}

const Choice k_zstd{proto::codec_bit(CodecId::zstd), 0};

}  // namespace

TEST_CASE("what is encoded decodes to the same bytes, by the codec that pays") {
    Codec codec;
    const std::vector<std::pair<std::string, CodecId>> rows{
        {"", CodecId::stored},
        {"x", CodecId::stored},
        {std::string(1, '\0'), CodecId::zero},
        {std::string(proto::k_chunk, '\0'), CodecId::zero},
        {random_text(proto::k_chunk), CodecId::stored},
        {plain_text(proto::k_chunk), CodecId::zstd},
        {plain_text(2000), CodecId::zstd},
    };
    for (const auto& [raw, expected] : rows) {
        const Encoded encoded = codec.encode(raw, k_zstd);
        CHECK(encoded.codec == expected);
        CHECK(encoded.bytes.size() <= raw.size());
        const auto again = codec.decode(encoded.codec, encoded.bytes, raw.size());
        REQUIRE(again);
        CHECK(*again == raw);
    }
}

TEST_CASE("a codec that the other side did not name is not used") {
    Codec codec;
    CHECK(codec.encode(plain_text(5000), Choice{}).codec == CodecId::stored);
}

TEST_CASE("every level is accepted and kept within the library's range") {
    Codec codec;
    for (const int level : {-5, 0, 1, 19, 99}) {
        const Encoded encoded = codec.encode(plain_text(100'000), Choice{k_zstd.allowed, level});
        CHECK(encoded.codec == CodecId::zstd);
        CHECK(codec.decode(encoded.codec, encoded.bytes, 100'000).has_value());
    }
}

TEST_CASE("a frame that decodes to more, or less, than announced is refused") {
    Codec codec;
    const std::string raw = plain_text(50'000);
    const Encoded encoded = codec.encode(raw, k_zstd);
    REQUIRE(encoded.codec == CodecId::zstd);
    for (const std::size_t size : {std::size_t{0}, raw.size() - 1, raw.size() + 1, proto::k_chunk}) {
        const auto again = codec.decode(CodecId::zstd, encoded.bytes, size);
        REQUIRE_FALSE(again);
        CHECK(again.error().code == Code::protocol);
    }
    CHECK_FALSE(codec.decode(CodecId::stored, raw, raw.size() - 1));
    CHECK_FALSE(codec.decode(CodecId::zero, "x", 1));
    CHECK_FALSE(codec.decode(CodecId::planes, raw, raw.size()));
    CHECK_FALSE(codec.decode(CodecId::zstd, encoded.bytes, proto::k_chunk + 1));
}

TEST_CASE("every prefix and every flipped byte of a packed chunk is noticed") {
    Codec codec;
    proto::EncodedChunk chunk = codec.seal(3, plain_text(3000), k_zstd);
    REQUIRE(chunk.codec == CodecId::zstd);
    REQUIRE(codec.open(chunk));
    const std::string whole = chunk.bytes;
    for (std::size_t i = 0; i < whole.size(); ++i) {
        chunk.bytes = whole.substr(0, i);
        REQUIRE_FALSE(codec.open(chunk));
        chunk.bytes = whole;
        chunk.bytes[i] = static_cast<char>(chunk.bytes[i] ^ 0x40);
        const auto opened = codec.open(chunk);
        // zstd ignores some header bits; then the content is right all the same.
        if (opened) REQUIRE(*opened == plain_text(3000));
    }
}

TEST_CASE("a chunk whose bytes do not match its leaf is an integrity failure") {
    Codec codec;
    proto::EncodedChunk chunk = codec.seal(0, random_text(1000), k_zstd);
    chunk.bytes[500] = static_cast<char>(chunk.bytes[500] ^ 1);
    const auto opened = codec.open(chunk);
    REQUIRE_FALSE(opened);
    CHECK(opened.error().code == Code::integrity);
}

TEST_CASE("a chunk on a base nobody named is refused") {
    Codec codec;
    proto::EncodedChunk chunk = codec.seal(0, "abc", k_zstd);
    chunk.on_base = true;
    CHECK(codec.open(chunk).error().code == Code::protocol);
}

TEST_CASE("owned bytes are sealed and opened like any others, true to the leaf") {
    Codec codec;
    for (const std::string& raw : {random_text(50'000), plain_text(50'000), std::string(50'000, '\0'), std::string()}) {
        std::string mine = raw;
        proto::EncodedChunk chunk = codec.seal_owned(4, std::move(mine), k_zstd);
        const proto::EncodedChunk same = codec.seal(4, raw, k_zstd);
        CHECK(chunk.codec == same.codec);
        CHECK(chunk.bytes == same.bytes);
        CHECK(chunk.leaf == same.leaf);
        CHECK(chunk.raw_size == raw.size());
        proto::EncodedChunk damaged = chunk;
        const auto opened = codec.open(std::move(chunk));
        CHECK(*opened == raw);
        damaged.leaf = proto::sha256("other");
        const auto refused = codec.open(std::move(damaged));
        CHECK(refused.error().code == Code::integrity);
    }
    proto::EncodedChunk based = codec.seal(0, "abc", {});
    based.on_base = true;
    const auto without_base = codec.open(std::move(based));
    CHECK(without_base.error().code == Code::protocol);
    proto::EncodedChunk short_one = codec.seal(0, "abc", {});
    short_one.raw_size = 4;
    const auto too_short = codec.open(std::move(short_one));
    CHECK(too_short.error().code == Code::protocol);
}
