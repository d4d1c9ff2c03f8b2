#include "core/codec/planes.hpp"

#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <random>

#include "core/codec/codec.hpp"
#include "core/proto/limits.hpp"

using namespace drawhitch;
using namespace drawhitch::codec;
using proto::CodecId;

namespace {

// Weights of one normal distribution: the upper `bytes` bytes of each float (2: bf16, 4: fp32).
std::string floats(std::size_t count, unsigned bytes, std::uint32_t seed = 7) {
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal(0, 0.02F);
    std::string raw;
    for (std::size_t at = 0; at < count; ++at) {
        const auto bits = std::bit_cast<std::uint32_t>(normal(generator));
        for (unsigned byte = 4 - bytes; byte < 4; ++byte)
            raw.push_back(static_cast<char>(static_cast<unsigned char>(bits >> (8 * byte))));
    }
    return raw;
}

std::string doubles(std::size_t count) {
    std::mt19937 generator(7);
    std::normal_distribution<double> normal(0, 0.02);
    std::string raw;
    for (std::size_t at = 0; at < count; ++at) {
        const auto bits = std::bit_cast<std::uint64_t>(normal(generator));
        for (unsigned byte = 0; byte < 8; ++byte)
            raw.push_back(static_cast<char>(static_cast<unsigned char>(bits >> (8 * byte))));
    }
    return raw;
}

std::string noise(std::size_t size) {
    std::mt19937 generator(11);
    std::string raw(size, '\0');
    for (char& c : raw)
        c = static_cast<char>(generator());
    return raw;
}

const Choice k_all{supported(), 1};

}  // namespace

TEST_CASE("planes are undone exactly, whatever the shape and the size") {
    const std::string raw = noise(1000);
    for (const std::uint8_t width : {std::uint8_t{2}, std::uint8_t{4}, std::uint8_t{8}}) {
        for (std::uint8_t phase = 0; phase < width; ++phase) {
            for (const bool rotate : {false, true}) {
                const PlaneShape shape{width, phase, rotate};
                for (std::size_t size = phase; size < 40; ++size) {
                    const std::string_view some = std::string_view{raw}.substr(0, size);
                    const std::size_t bytes = numbers_in(size, shape) * width;
                    std::string planes(bytes, '\0');
                    split_planes(some, shape, planes.data());
                    std::string again(some);
                    std::fill_n(again.begin() + phase, bytes, '\0');
                    join_planes(planes.data(), shape, size, again.data());
                    REQUIRE(again == some);
                }
            }
        }
    }
}

TEST_CASE("the bytes of one significance lie together, the least significant first") {
    std::string planes(6, '\0');
    split_planes("xA1B2C3y", PlaneShape{2, 1, false}, planes.data());
    CHECK(planes == "ABC123");
    // 0x8001 rotated by one bit is 0x0003.
    std::string rotated(2, '\xFF');
    split_planes(std::string_view{"\x01\x80", 2}, PlaneShape{2, 0, true}, rotated.data());
    CHECK(rotated == std::string_view{"\x03\x00", 2});
}

TEST_CASE("the shape of weights is found from their bytes, wherever in the chunk the first one lies") {
    struct Row {
        std::string raw;
        unsigned width;
        double share;  // what the planes' entropy leaves at most; the normal distribution fixes it
    };
    const std::vector<Row> rows{
        {floats(300'000, 2), 2, 0.68}, {floats(200'000, 4), 4, 0.85}, {doubles(100'000), 8, 0.95}};
    for (const Row& row : rows) {
        for (const std::size_t before : {0U, 1U, 3U, 5U}) {
            CAPTURE(row.width, before);
            const ShapeGuess guess = guess_shape(noise(before) + row.raw);
            CHECK(guess.shape.width == row.width);
            CHECK(guess.share < row.share);
            CHECK(is_valid(guess.shape));
        }
    }
    CHECK(guess_shape(noise(500'000)).shape.width == 1);
    CHECK(guess_shape("short").shape.width == 1);
    CHECK(guess_shape("").shape.width == 1);
}

TEST_CASE("weights travel as planes near their entropy, and come back the same") {
    Codec codec;
    const auto& [raw, most] = GENERATE(std::pair{floats(524'288, 2), 0.675}, std::pair{floats(262'144, 4), 0.845},
                                       std::pair{"head" + floats(262'000, 4) + "end", 0.845});
    const Encoded encoded = codec.encode(raw, k_all);
    CHECK(encoded.codec == CodecId::planes);
    CHECK(static_cast<double>(encoded.bytes.size()) < most * static_cast<double>(raw.size()));
    const auto again = codec.decode(encoded.codec, encoded.bytes, raw.size());
    REQUIRE(again);
    CHECK(*again == raw);
}

TEST_CASE("what planes do not help goes as before") {
    Codec codec;
    CHECK(codec.encode(noise(proto::k_chunk), k_all).codec == CodecId::stored);
    std::string text;
    for (int line = 0; text.size() < 500'000; ++line)
        text += "step " + std::to_string(line) + " loss 0." + std::to_string(line * 7919 % 1000) + "\n";
    CHECK(codec.encode(text, k_all).codec == CodecId::zstd);
    CHECK(codec.encode(floats(100'000, 2), Choice{proto::codec_bit(CodecId::zstd), 1}).codec == CodecId::zstd);
    CHECK(codec.encode(floats(100'000, 2), Choice{proto::codec_bit(CodecId::planes), 1}).codec == CodecId::planes);
}

TEST_CASE("a constant plane costs one byte") {
    Codec codec;
    std::string counters;
    std::mt19937 generator(3);
    for (int at = 0; at < 50'000; ++at)
        counters += {static_cast<char>(generator()), static_cast<char>(generator()), '\0', '\0'};
    const Encoded encoded = codec.encode(counters, k_all);
    REQUIRE(encoded.codec == CodecId::planes);
    CHECK(encoded.bytes.size() < 100'100);
    CHECK(*codec.decode(CodecId::planes, encoded.bytes, counters.size()) == counters);
}

TEST_CASE("no prefix of planes decodes, and no changed byte does harm") {
    Codec codec;
    const std::string raw = "ab" + floats(700, 2) + "c";
    Encoded encoded = codec.encode(raw, k_all);
    REQUIRE(encoded.codec == CodecId::planes);
    for (std::size_t size = 0; size < encoded.bytes.size(); ++size)
        REQUIRE_FALSE(codec.decode(CodecId::planes, encoded.bytes.substr(0, size), raw.size()));
    for (std::size_t at = 0; at < encoded.bytes.size(); ++at) {
        for (const int flip : {0x01, 0x80, 0xFF}) {
            std::string changed = encoded.bytes;
            changed[at] = static_cast<char>(changed[at] ^ flip);
            const auto decoded = codec.decode(CodecId::planes, changed, raw.size());
            if (decoded) REQUIRE(decoded->size() == raw.size());
        }
    }
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, raw.size() - 1, raw.size() + 1, raw.size() + 2})
        CHECK_FALSE(codec.decode(CodecId::planes, encoded.bytes, size));
    CHECK_FALSE(codec.decode(CodecId::planes, encoded.bytes + "x", raw.size()));
}

TEST_CASE("planes whose header lies are refused before anything is read for them") {
    Codec codec;
    // width 2, phase 0, two stored planes of two bytes
    const std::string good{
        "\x02\x00\x00\x02\x00\x00\x00\x00\x02\x00\x00\x00"
        "acbd",
        16};
    REQUIRE(codec.decode(CodecId::planes, good, 4));
    CHECK(*codec.decode(CodecId::planes, good, 4) == "abcd");
    const auto with = [&](std::size_t at, char value) {
        std::string bytes = good;
        bytes[at] = value;
        return codec.decode(CodecId::planes, bytes, 4).has_value();
    };
    for (const char width : {'\0', '\1', '\3', '\4', '\x08', '\x10', '\x42'})
        CHECK_FALSE(with(0, width));
    CHECK_FALSE(with(1, '\2'));    // a phase as large as the width
    CHECK_FALSE(with(1, '\xFF'));  // larger than everything
    CHECK_FALSE(with(2, '\3'));    // an unknown method
    CHECK_FALSE(with(6, '\x7F'));  // a size of 2 GiB
    CHECK_FALSE(with(3, '\1'));    // a plane too short
    CHECK_FALSE(with(7, '\1'));    // a zstd frame that is none
}
