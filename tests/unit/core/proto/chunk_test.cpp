#include "core/proto/chunk.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <vector>

#include "core/proto/limits.hpp"
#include "core/proto/wire.hpp"

using namespace drawhitch;
using namespace drawhitch::proto;

namespace {

EncodedChunk chunk_of(std::size_t size, std::uint32_t index = 5) {
    EncodedChunk chunk;
    chunk.index = index;
    chunk.codec = CodecId::stored;
    chunk.raw_size = static_cast<std::uint32_t>(size);
    for (std::size_t i = 0; i < size; ++i)
        chunk.bytes += static_cast<char>(i * 31 >> 3U);
    chunk.leaf = leaf_digest(chunk.bytes);
    return chunk;
}

std::vector<std::string> fragments_of(EncodedChunk chunk) {
    std::vector<std::string> payloads;
    Fragmenter fragmenter(std::move(chunk));
    while (!fragmenter.done()) {
        const std::size_t announced = fragmenter.next_size();
        payloads.push_back(fragmenter.next());
        CHECK(payloads.back().size() == announced);
    }
    return payloads;
}

Result<std::optional<EncodedChunk>> feed_all(ChunkAssembler& assembler, const std::vector<std::string>& payloads) {
    Result<std::optional<EncodedChunk>> last = std::optional<EncodedChunk>{};
    for (const std::string& payload : payloads) {
        last = assembler.feed(payload);
        if (!last) break;
    }
    return last;
}

}  // namespace

TEST_CASE("a chunk of any size comes out of its fragments as it went in") {
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, k_fragment - 1, k_fragment, k_fragment + 1, k_chunk}) {
        const EncodedChunk chunk = chunk_of(size);
        const auto payloads = fragments_of(chunk);
        CHECK(payloads.size() == std::max<std::size_t>(1, (size + k_fragment - 1) / k_fragment));
        for (const std::string& payload : payloads)
            CHECK(payload.size() <= k_data_payload_max);
        ChunkAssembler assembler;
        const auto got = feed_all(assembler, payloads);
        REQUIRE(got);
        REQUIRE(*got);
        CHECK((*got)->bytes == chunk.bytes);
        CHECK((*got)->index == chunk.index);
        CHECK((*got)->leaf == chunk.leaf);
        CHECK(assembler.idle());
    }
}

TEST_CASE("one assembler takes chunk after chunk") {
    ChunkAssembler assembler;
    for (std::uint32_t i = 0; i < 3; ++i) {
        const auto got = feed_all(assembler, fragments_of(chunk_of(k_fragment + i, i)));
        REQUIRE((got && *got));
        CHECK((*got)->index == i);
    }
}

TEST_CASE("fragments out of order, missing, repeated or of another chunk are refused") {
    const auto good = fragments_of(chunk_of(3 * k_fragment));
    const auto other = fragments_of(chunk_of(3 * k_fragment, 6));
    const std::vector<std::vector<std::string>> bad{
        {good[1]}, {good[0], good[2]}, {good[0], good[0]}, {good[0], other[1]}, {good[0], good[1], good[1], good[2]}};
    for (const auto& payloads : bad) {
        ChunkAssembler assembler;
        const auto got = feed_all(assembler, payloads);
        REQUIRE_FALSE(got);
        CHECK(got.error().code == Code::protocol);
    }
}

TEST_CASE("heads that announce more than a chunk may have are refused at once") {
    const auto with = [](std::uint32_t raw, std::uint32_t encoded, std::uint8_t codec) {
        std::string payload;
        Writer write(payload);
        write(std::uint32_t{0}), write(std::uint8_t{1}), write(codec), write(false), write(raw), write(encoded);
        write(Digest{});
        payload += "x";
        ChunkAssembler assembler;
        return assembler.feed(payload).has_value();
    };
    CHECK(with(k_chunk, 100, 0));
    CHECK_FALSE(with(k_chunk + 1, 100, 0));
    CHECK_FALSE(with(k_chunk, k_encoded_chunk_max + 1, 0));
    CHECK_FALSE(with(k_chunk, 100, 99));
}

TEST_CASE("no prefix of a fragment and no unknown flag passes") {
    const std::string payload = fragments_of(chunk_of(100))[0];
    for (std::size_t size = 0; size < payload.size(); ++size) {
        ChunkAssembler assembler;
        REQUIRE_FALSE(assembler.feed(std::string_view(payload).substr(0, size)));
    }
    std::string flagged = payload;
    flagged[4] = 7;
    ChunkAssembler assembler;
    CHECK_FALSE(assembler.feed(flagged));
}
