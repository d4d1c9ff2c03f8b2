// Chunks as differences to an earlier file: smaller where that helps, whole where it does not, and proven by the leaf
// whatever the base was.
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <random>

#include "core/codec/codec.hpp"
#include "core/proto/limits.hpp"

using namespace drawhitch;
using namespace drawhitch::codec;
using proto::CodecId;

namespace {

const Choice k_any{supported(), 1};

// bf16 weights, and the same some steps of training later.
std::string weights(std::size_t count, bool later) {
    std::mt19937 generator(7);
    std::normal_distribution<float> normal(0, 0.02F);
    std::normal_distribution<float> step(0, 1e-4F);
    std::string raw;
    for (std::size_t at = 0; at < count; ++at) {
        const float value = normal(generator);
        const float moved = value + step(generator);
        const auto bits = std::bit_cast<std::uint32_t>(later ? moved : value);
        raw += {static_cast<char>(bits >> 16U), static_cast<char>(bits >> 24U)};
    }
    return raw;
}

}  // namespace

TEST_CASE("a chunk near its base travels as the difference, smaller, and comes back the same") {
    Codec codec;
    const std::string before = weights(200'000, false);
    const std::string after = weights(200'000, true);
    for (const std::string& base : {before, before.substr(0, 300'001), before + "more behind it"}) {
        const auto chunk = codec.seal_on_base(3, std::string{after}, base, k_any);
        CHECK(chunk.on_base);
        CHECK(chunk.index == 3);
        CHECK(chunk.leaf == proto::leaf_digest(after));
        CHECK(chunk.bytes.size() < codec.encode(after, k_any).bytes.size() * 95 / 100);
        CHECK(*codec.open_on_base(chunk, base) == after);
        CHECK(codec.open(chunk).error().code == Code::protocol);
    }
}

TEST_CASE("a chunk that did not change costs nothing, and one that is unlike its base comes whole") {
    Codec codec;
    const std::string before = weights(100'000, false);
    const auto same = codec.seal_on_base(0, std::string{before}, before, k_any);
    CHECK(same.on_base);
    CHECK(same.bytes.empty());
    CHECK(*codec.open_on_base(same, before) == before);
    std::mt19937 generator(3);
    std::string noise(200'000, '\0');
    for (char& c : noise)
        c = static_cast<char>(generator());
    const auto other = codec.seal_on_base(0, std::string{before}, noise, k_any);
    CHECK(!other.on_base);
    CHECK(*codec.open(other) == before);
    CHECK(*codec.open_on_base(other, noise) == before);
    const auto stored = codec.seal_on_base(0, std::string{noise}, before, k_any);
    CHECK(!stored.on_base);
    CHECK(stored.codec == CodecId::stored);
    CHECK(*codec.open(stored) == noise);
    CHECK(codec.open(codec.seal_on_base(0, std::string{}, before, k_any))->empty());
}

TEST_CASE("a base that is not the other side's is noticed by the leaf") {
    Codec codec;
    std::string base = weights(50'000, false);
    const auto chunk = codec.seal_on_base(0, weights(50'000, true), base, k_any);
    REQUIRE(chunk.on_base);
    for (const std::string& wrong : {std::string{}, base.substr(1), base.substr(0, base.size() - 1), base + "x"}) {
        const auto opened = codec.open_on_base(chunk, wrong);
        // Bytes behind the chunk's end count for nothing.
        CHECK(opened.has_value() == (wrong.size() > base.size()));
        if (!opened) CHECK(opened.error().code == Code::integrity);
    }
    base[70'000] = static_cast<char>(base[70'000] ^ 1);
    CHECK(codec.open_on_base(chunk, base).error().code == Code::integrity);
}

TEST_CASE("every prefix and every changed byte of a difference is noticed") {
    Codec codec;
    const std::string base = weights(2000, false);
    const std::string after = weights(2000, true);
    proto::EncodedChunk chunk = codec.seal_on_base(0, std::string{after}, base, k_any);
    REQUIRE(chunk.on_base);
    const std::string whole = chunk.bytes;
    for (std::size_t i = 0; i < whole.size(); ++i) {
        chunk.bytes = whole.substr(0, i);
        REQUIRE_FALSE(codec.open_on_base(chunk, base));
        chunk.bytes = whole;
        chunk.bytes[i] = static_cast<char>(chunk.bytes[i] ^ 0x40);
        const auto opened = codec.open_on_base(chunk, base);
        if (opened) REQUIRE(*opened == after);
    }
}
