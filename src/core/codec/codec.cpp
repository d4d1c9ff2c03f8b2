#include "core/codec/codec.hpp"

#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/proto/digest.hpp"
#include "core/proto/limits.hpp"

namespace drawhitch::codec {

using proto::CodecId;

namespace {

constexpr int k_default_level = 3;
constexpr int k_highest_level = 19;
constexpr std::size_t k_sample = 32U << 10U;
// Below one part in 32 of gain, the time to decode and the risk of a wrong sample cost more than the bytes.
constexpr std::size_t k_least_gain = 32;

bool all_zero(std::string_view raw) {
    if (raw.empty() || raw.front() != '\0') return false;
    return std::memcmp(raw.data(), raw.data() + 1, raw.size() - 1) == 0;
}

bool pays(std::size_t raw, std::size_t encoded) {
    return encoded + raw / k_least_gain < raw;
}

}  // namespace

proto::CodecSet supported() {
    return proto::codec_bit(CodecId::stored) | proto::codec_bit(CodecId::zero) | proto::codec_bit(CodecId::zstd);
}

struct Codec::State {
    ZSTD_CCtx* compressor{nullptr};
    ZSTD_DCtx* decompressor{nullptr};

    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() {
        ZSTD_freeCCtx(compressor);
        ZSTD_freeDCtx(decompressor);
    }

    // The compressed bytes, or nothing when the library fails.
    std::string compress(std::string_view raw, int level) {
        if (compressor == nullptr) compressor = ZSTD_createCCtx();
        if (compressor == nullptr) return {};
        std::string out(ZSTD_compressBound(raw.size()), '\0');
        const std::size_t size = ZSTD_compressCCtx(compressor, out.data(), out.size(), raw.data(), raw.size(), level);
        if (ZSTD_isError(size) != 0U) return {};
        out.resize(size);
        return out;
    }

    // Two samples tell random bytes, the commonest incompressible input, from all else in a fraction of the time.
    bool worth_trying(std::string_view raw, int level) {
        if (raw.size() < 4 * k_sample) return true;
        std::string sample(raw.substr(raw.size() / 4, k_sample));
        sample.append(raw.substr(raw.size() / 4 * 3 - k_sample / 2, k_sample));
        const std::string packed = compress(sample, std::min(level, 1));
        return !packed.empty() && pays(sample.size(), packed.size());
    }
};

Codec::Codec() : state_(std::make_unique<State>()) {}
Codec::~Codec() = default;
Codec::Codec(Codec&&) noexcept = default;
Codec& Codec::operator=(Codec&&) noexcept = default;

// The packed form, if there is one that pays.
std::optional<Encoded> Codec::pack(std::string_view raw, const Choice& choice) {
    if (all_zero(raw)) return Encoded{CodecId::zero, {}};
    if (!proto::allows(choice.allowed, CodecId::zstd)) return std::nullopt;
    const int level = choice.level == 0 ? k_default_level : std::clamp(choice.level, 1, k_highest_level);
    if (!state_->worth_trying(raw, level)) return std::nullopt;
    std::string packed = state_->compress(raw, level);
    if (packed.empty() || !pays(raw.size(), packed.size())) return std::nullopt;
    return Encoded{CodecId::zstd, std::move(packed)};
}

Encoded Codec::encode(std::string_view raw, const Choice& choice) {
    if (auto packed = pack(raw, choice)) return std::move(*packed);
    return Encoded{CodecId::stored, std::string(raw)};
}

Result<std::string> Codec::decode(CodecId codec, std::string_view encoded, std::size_t raw_size) {
    const Error wrong{Code::protocol, "a chunk does not decode to its announced size"};
    if (raw_size > proto::k_chunk) return wrong;
    switch (codec) {
        case CodecId::stored:
            if (encoded.size() != raw_size) return wrong;
            return std::string(encoded);
        case CodecId::zero:
            if (!encoded.empty()) return wrong;
            return std::string(raw_size, '\0');
        case CodecId::zstd:
            break;
        case CodecId::planes:
            return Error{Code::protocol, "a chunk uses a codec this version does not have"};
    }
    if (state_->decompressor == nullptr) state_->decompressor = ZSTD_createDCtx();
    if (state_->decompressor == nullptr) return Error{Code::internal, "no memory to decompress"};
    std::string raw(raw_size, '\0');
    const std::size_t size =
        ZSTD_decompressDCtx(state_->decompressor, raw.data(), raw.size(), encoded.data(), encoded.size());
    if (ZSTD_isError(size) != 0U || size != raw_size) return wrong;
    return raw;
}

namespace {

proto::EncodedChunk chunk_of(std::uint32_t index, std::size_t raw_size, const proto::Digest& leaf, Encoded encoded) {
    proto::EncodedChunk chunk;
    chunk.index = index;
    chunk.codec = encoded.codec;
    chunk.raw_size = static_cast<std::uint32_t>(raw_size);
    chunk.leaf = leaf;
    chunk.bytes = std::move(encoded.bytes);
    return chunk;
}

Error base_unnamed() {
    return Error{Code::protocol, "a chunk is based on a file nobody named"};
}

Error leaf_differs() {
    return Error{Code::integrity, Retry::same_connection, "a chunk does not match its digest"};
}

}  // namespace

proto::EncodedChunk Codec::seal(std::uint32_t index, std::string_view raw, const Choice& choice) {
    return chunk_of(index, raw.size(), proto::leaf_digest(raw), encode(raw, choice));
}

proto::EncodedChunk Codec::seal_owned(std::uint32_t index, std::string&& raw, const Choice& choice) {
    const proto::Digest leaf = proto::leaf_digest(raw);
    const std::size_t size = raw.size();
    auto packed = pack(raw, choice);
    return chunk_of(index, size, leaf, packed ? std::move(*packed) : Encoded{CodecId::stored, std::move(raw)});
}

Result<std::string> Codec::open(const proto::EncodedChunk& chunk) {
    if (chunk.on_base) return base_unnamed();
    TRY_ASSIGN(std::string raw, decode(chunk.codec, chunk.bytes, chunk.raw_size));
    if (proto::leaf_digest(raw) != chunk.leaf) return leaf_differs();
    return raw;
}

Result<std::string> Codec::open(proto::EncodedChunk&& chunk) {
    const bool as_it_is = !chunk.on_base && chunk.codec == CodecId::stored && chunk.bytes.size() == chunk.raw_size;
    if (!as_it_is) return open(static_cast<const proto::EncodedChunk&>(chunk));
    if (proto::leaf_digest(chunk.bytes) != chunk.leaf) return leaf_differs();
    return std::move(chunk.bytes);
}

}  // namespace drawhitch::codec
