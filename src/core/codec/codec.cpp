#include "core/codec/codec.hpp"

// The library's setting that packs by Huffman's code alone counts as experimental, in all of its releases since 1.3.8.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "core/codec/planes.hpp"
#include "core/proto/digest.hpp"
#include "core/proto/limits.hpp"
#include "core/proto/wire.hpp"

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

// What a plane's bytes are packed by, and the head of the container (docs/protocol.md, "Planes").
enum class PlaneMethod : std::uint8_t { stored, zstd, constant };
constexpr PlaneMethod last_of(PlaneMethod) {
    return PlaneMethod::constant;
}
struct PlaneEntry {
    PlaneMethod method{PlaneMethod::stored};
    std::uint32_t size{0};
    void visit(auto& visitor) {
        visitor(method);
        visitor(size);
    }
};
constexpr std::size_t k_plane_entry = 5;  // bytes of one
constexpr std::uint8_t k_rotated = 0x80;
// Planes must beat what zstd makes of the bytes by this much: they cost more to unpack.
constexpr double k_planes_gain = 0.98;
// A plane of more entropy than this is noise; the table of its code would cost what it gains.
constexpr double k_noise_bits = 7.9;
// What a match finder must gain on a plane over Huffman's code alone, which is twice as fast.
constexpr double k_match_gain = 0.97;
// All negative levels only choose how fast the match finder gives up.
constexpr int k_no_matches = -100;
// Matches of a plane lie far apart: less than this shows none.
constexpr std::size_t k_plane_sample = 64U << 10U;

// A chunk of many small tensors is packed piece by piece, as each has a shape and shares of its own. Measured on a
// training state: half as large gains another part in 600, and the tables begin to cost.
constexpr std::uint8_t k_segment_log = 17;
constexpr std::size_t k_segment = std::size_t{1} << k_segment_log;
// What a reader accepts: at most 64 pieces.
constexpr std::uint8_t k_least_segment_log = 14;
constexpr std::uint8_t k_most_segment_log = 20;
// The guesses of the pieces must promise this much less than that of the whole: equal tensors are faster as one.
constexpr double k_segments_gain = 0.995;
constexpr std::size_t k_segment_head = 5;
constexpr double k_text_share = 0.4;
constexpr std::size_t k_segment_pieces = 4;  // of its sample

// A difference must be smaller by this much: it costs both ends a look at the base.
constexpr double k_base_gain = 0.98;

bool is_constant(std::string_view bytes) {
    return !bytes.empty() && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

}  // namespace

proto::CodecSet supported() {
    return proto::codec_bit(CodecId::stored) | proto::codec_bit(CodecId::zero) | proto::codec_bit(CodecId::zstd) |
           proto::codec_bit(CodecId::planes) | proto::codec_bit(CodecId::segments);
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

    // Appends the compressed bytes; false, and nothing appended, when the library fails or they would not be shorter.
    bool compress_to(std::string& out, std::string_view raw, int level, bool huffman_only = false) {
        if (raw.empty()) return false;
        if (compressor == nullptr) compressor = ZSTD_createCCtx();
        if (compressor == nullptr) return false;
        ZSTD_CCtx_setParameter(compressor, ZSTD_c_compressionLevel, level);
        ZSTD_CCtx_setParameter(compressor, ZSTD_c_literalCompressionMode, huffman_only ? ZSTD_ps_enable : ZSTD_ps_auto);
        const std::size_t before = out.size();
        out.resize(before + raw.size() - 1);
        const std::size_t size =
            ZSTD_compress2(compressor, out.data() + before, raw.size() - 1, raw.data(), raw.size());
        const bool done = ZSTD_isError(size) == 0U;
        out.resize(before + (done ? size : 0));
        return done;
    }

    // The size it would have; that of the raw bytes when it would not be shorter.
    std::size_t packed_size(std::string_view raw, int level, bool huffman_only = false) {
        std::string out;
        return compress_to(out, raw, level, huffman_only) ? out.size() : raw.size();
    }

    bool decompress(std::string_view encoded, char* raw, std::size_t raw_size) {
        if (decompressor == nullptr) decompressor = ZSTD_createDCtx();
        if (decompressor == nullptr) return false;
        const std::size_t size = ZSTD_decompressDCtx(decompressor, raw, raw_size, encoded.data(), encoded.size());
        return ZSTD_isError(size) == 0U && size == raw_size;
    }

    // What zstd makes of two samples, as a share of their size: it tells random bytes, the commonest incompressible
    // input, from all else in a fraction of the time.
    double sampled_share(std::string_view raw, int level) {
        if (raw.empty()) return 1;
        std::string sample(raw.substr(raw.size() / 4, k_sample));
        if (raw.size() < 4 * k_sample) {
            sample = raw;
        } else {
            sample.append(raw.substr(raw.size() / 4 * 3 - k_sample / 2, k_sample));
        }
        return static_cast<double>(packed_size(sample, std::min(level, 1))) / static_cast<double>(sample.size());
    }

    PlaneMethod append_plane(std::string& out, std::string_view plane, double bits) {
        if (is_constant(plane)) {
            out.push_back(plane.front());
            return PlaneMethod::constant;
        }
        if (bits <= k_noise_bits) {
            const std::string_view sample =
                plane.substr(plane.size() / 2 - std::min(plane.size() / 2, k_plane_sample / 2), k_plane_sample);
            const bool matches = static_cast<double>(packed_size(sample, 1)) <
                                 static_cast<double>(packed_size(sample, k_no_matches, true)) * k_match_gain;
            if (compress_to(out, plane, matches ? 1 : k_no_matches, !matches)) return PlaneMethod::zstd;
        }
        out.append(plane);
        return PlaneMethod::stored;
    }

    std::string pack_planes(std::string_view raw, const ShapeGuess& guess) {
        const PlaneShape& shape = guess.shape;
        const std::size_t count = numbers_in(raw.size(), shape);
        planes.resize(count * shape.width);
        split_planes(raw, shape, planes.data());
        std::string out;
        out.reserve(raw.size());
        out.append(2 + shape.width * k_plane_entry, '\0');
        out.append(raw.substr(0, shape.phase)).append(raw.substr(shape.phase + planes.size()));
        std::string head;
        proto::Writer write{head};
        write(static_cast<std::uint8_t>(shape.width | (shape.rotate ? k_rotated : 0)));
        write(shape.phase);
        for (std::size_t plane = 0; plane < shape.width; ++plane) {
            const std::size_t before = out.size();
            const auto method =
                append_plane(out, std::string_view{planes}.substr(plane * count, count), guess.plane_bits[plane]);
            write(PlaneEntry{method, static_cast<std::uint32_t>(out.size() - before)});
        }
        return out.replace(0, head.size(), head);
    }

    bool unpack_plane(PlaneMethod method, std::string_view encoded, char* plane, std::size_t count) {
        switch (method) {
            case PlaneMethod::stored:
                if (encoded.size() != count) return false;
                std::memcpy(plane, encoded.data(), count);
                return true;
            case PlaneMethod::constant:
                if (encoded.size() != 1) return false;
                std::memset(plane, encoded.front(), count);
                return true;
            case PlaneMethod::zstd:
                return decompress(encoded, plane, count);
        }
        return false;
    }

    // Every size is checked before it is used; false for anything that is not exactly the form pack_planes writes.
    bool unpack_planes(std::string_view encoded, char* raw, std::size_t raw_size) {
        proto::Reader read{encoded};
        PlaneShape shape{};
        read(shape.width);
        read(shape.phase);
        shape.rotate = (shape.width & k_rotated) != 0;
        shape.width &= static_cast<std::uint8_t>(~k_rotated);
        if (!read.ok() || !is_valid(shape) || raw_size < shape.phase) return false;
        std::array<PlaneEntry, k_planes_max> entries{};
        for (std::size_t plane = 0; plane < shape.width; ++plane)
            read(entries[plane]);
        const std::size_t count = numbers_in(raw_size, shape);
        const std::size_t beside = raw_size - count * shape.width;  // bytes in front of the numbers and behind them
        std::string_view rest = read.rest();
        if (!read.ok() || rest.size() < beside) return false;
        std::memcpy(raw, rest.data(), shape.phase);
        std::memcpy(raw + shape.phase + count * shape.width, rest.data() + shape.phase, beside - shape.phase);
        rest.remove_prefix(beside);
        planes.resize(count * shape.width);
        for (std::size_t plane = 0; plane < shape.width; ++plane) {
            const auto& [method, size] = entries[plane];
            if (size > rest.size() || !unpack_plane(method, rest.substr(0, size), planes.data() + plane * count, count))
                return false;
            rest.remove_prefix(size);
        }
        if (!rest.empty()) return false;
        join_planes(planes.data(), shape, raw_size, raw);
        return true;
    }

    // The shape of each piece and the share they leave, where packing piece by piece promises to be worth it; else
    // nothing.
    static std::vector<ShapeGuess> guess_segments(std::string_view raw, double to_beat, double& share) {
        std::vector<ShapeGuess> guesses;
        if (raw.size() < 2 * k_segment) return guesses;
        double bytes = 0;
        for (std::size_t at = 0; at < raw.size(); at += k_segment) {
            const std::string_view piece = raw.substr(at, k_segment);
            guesses.push_back(guess_shape(piece, k_segment_pieces));
            bytes += guesses.back().share * static_cast<double>(piece.size());
        }
        const double found = bytes / static_cast<double>(raw.size());
        if (found < to_beat * k_segments_gain) {
            share = found;
        } else {
            guesses.clear();
        }
        return guesses;
    }

    Encoded pack_segment(std::string_view piece, const ShapeGuess& guess, int level) {
        if (all_zero(piece)) return {CodecId::zero, {}};
        Encoded packed{};
        if (guess.shape.width > 1) {
            packed = {CodecId::planes, pack_planes(piece, guess)};
        } else {
            packed.codec = CodecId::zstd;
            if (!compress_to(packed.bytes, piece, level)) packed.bytes = piece;
        }
        if (!pays(piece.size(), packed.bytes.size())) packed = {CodecId::stored, std::string(piece)};
        return packed;
    }

    std::string pack_segments(std::string_view raw, std::span<const ShapeGuess> guesses, int level) {
        std::string head;
        std::string out;
        proto::Writer write{head};
        write(k_segment_log);
        out.reserve(raw.size());
        for (std::size_t at = 0; at < guesses.size(); ++at) {
            const Encoded packed = pack_segment(raw.substr(at * k_segment, k_segment), guesses[at], level);
            write(packed.codec);
            write(static_cast<std::uint32_t>(packed.bytes.size()));
            out.append(packed.bytes);
        }
        return out.insert(0, head);
    }

    // False for anything that is not exactly the form pack_segments writes.
    bool unpack_segments(std::string_view encoded, char* raw, std::size_t raw_size) {
        proto::Reader read{encoded};
        std::uint8_t log = 0;
        read(log);
        if (!read.ok() || log < k_least_segment_log || log > k_most_segment_log) return false;
        const std::size_t size = std::size_t{1} << log;
        const std::size_t count = (raw_size + size - 1) / size;
        if (read.rest().size() < count * k_segment_head) return false;
        std::string_view rest = read.rest().substr(count * k_segment_head);
        for (std::size_t at = 0; at < count; ++at) {
            CodecId codec{};
            std::uint32_t packed = 0;
            read(codec);
            read(packed);
            if (!read.ok() || codec == CodecId::segments || packed > rest.size()) return false;
            const std::size_t piece = std::min(size, raw_size - at * size);
            if (!unpack(codec, rest.substr(0, packed), raw + at * size, piece)) return false;
            rest.remove_prefix(packed);
        }
        return rest.empty();
    }

    // Fills all of `raw`, or says false.
    bool unpack(CodecId codec, std::string_view encoded, char* raw, std::size_t raw_size) {
        switch (codec) {
            case CodecId::stored:
                if (encoded.size() != raw_size) return false;
                std::memcpy(raw, encoded.data(), raw_size);
                return true;
            case CodecId::zero:
                if (!encoded.empty()) return false;
                std::memset(raw, 0, raw_size);
                return true;
            case CodecId::zstd:
                return decompress(encoded, raw, raw_size);
            case CodecId::planes:
                return unpack_planes(encoded, raw, raw_size);
            case CodecId::segments:
                return unpack_segments(encoded, raw, raw_size);
        }
        return false;
    }

    std::string planes{};  // working memory
};

Codec::Codec() : state_(std::make_unique<State>()) {}
Codec::~Codec() = default;
Codec::Codec(Codec&&) noexcept = default;
Codec& Codec::operator=(Codec&&) noexcept = default;

// What a sample says of a chunk: how to pack it, and about what share of it is left.
struct Codec::Look {
    CodecId codec{CodecId::stored};
    int level{k_default_level};
    double share{1.0};
    ShapeGuess guess{};
    std::vector<ShapeGuess> pieces{};
};

Codec::Look Codec::look(std::string_view raw, const Choice& choice) {
    Look found{};
    if (all_zero(raw)) {
        found.codec = CodecId::zero;
        found.share = 0;
        return found;
    }
    const bool zstd = proto::allows(choice.allowed, CodecId::zstd);
    const bool planes = proto::allows(choice.allowed, CodecId::planes);
    if (!zstd && !planes) return found;
    if (choice.level != 0) found.level = std::clamp(choice.level, 1, k_highest_level);
    if (planes) found.guess = guess_shape(raw);
    const double by_zstd = zstd ? state_->sampled_share(raw, found.level) : 1.0;
    const double wanted = 1.0 - 1.0 / static_cast<double>(k_least_gain);
    const double to_beat = std::min(wanted, by_zstd * k_planes_gain);
    const double by_planes = found.guess.shape.width > 1 ? found.guess.share : 1.0;
    // Noise has no pieces, and what zstd packs as well as this is text.
    const bool may_cut = planes && proto::allows(choice.allowed, CodecId::segments) && by_zstd > k_text_share &&
                         std::min(found.guess.share, by_zstd) < wanted;
    if (may_cut) found.pieces = State::guess_segments(raw, std::min(to_beat, by_planes), found.share);
    if (!found.pieces.empty()) {
        found.codec = CodecId::segments;
    } else if (by_planes < to_beat) {
        found.codec = CodecId::planes;
        found.share = by_planes;
    } else if (zstd && by_zstd < wanted) {
        found.codec = CodecId::zstd;
        found.share = by_zstd;
    }
    return found;
}

// The packed form, if there is one that pays.
std::optional<Encoded> Codec::pack(std::string_view raw, const Look& look) {
    Encoded packed{look.codec, {}};
    switch (look.codec) {
        case CodecId::stored:
            return std::nullopt;
        case CodecId::zero:
            return packed;
        case CodecId::zstd:
            if (!state_->compress_to(packed.bytes, raw, look.level)) return std::nullopt;
            break;
        case CodecId::planes:
            packed.bytes = state_->pack_planes(raw, look.guess);
            break;
        case CodecId::segments:
            packed.bytes = state_->pack_segments(raw, look.pieces, look.level);
            break;
    }
    if (!pays(raw.size(), packed.bytes.size())) return std::nullopt;
    return packed;
}

std::size_t Codec::expected_size(std::string_view raw, const Choice& choice) {
    return static_cast<std::size_t>(look(raw, choice).share * static_cast<double>(raw.size()));
}

Encoded Codec::encode(std::string_view raw, const Choice& choice) {
    if (auto packed = pack(raw, look(raw, choice))) return std::move(*packed);
    return Encoded{CodecId::stored, std::string(raw)};
}

Result<std::string> Codec::decode(CodecId codec, std::string_view encoded, std::size_t raw_size) {
    const Error wrong{Code::protocol, "a chunk does not decode to its announced size"};
    if (raw_size > proto::k_chunk) return wrong;
    if (codec == CodecId::stored && encoded.size() != raw_size) return wrong;
    std::string raw(raw_size, '\0');
    if (!state_->unpack(codec, encoded, raw.data(), raw_size)) return wrong;
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

void xor_onto(std::string& raw, std::string_view base) {
    const std::size_t size = std::min(raw.size(), base.size());
    std::transform(raw.begin(), raw.begin() + static_cast<std::ptrdiff_t>(size), base.begin(), raw.begin(),
                   [](char a, char b) { return static_cast<char>(a ^ b); });
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
    auto packed = pack(raw, look(raw, choice));
    return chunk_of(index, size, leaf, packed ? std::move(*packed) : Encoded{CodecId::stored, std::move(raw)});
}

proto::EncodedChunk Codec::seal_on_base(std::uint32_t index, std::string&& raw, std::string_view base,
                                        const Choice& choice) {
    std::string difference = raw;
    xor_onto(difference, base);
    const Look alone = look(raw, choice);
    const Look apart = look(difference, choice);
    const proto::Digest leaf = proto::leaf_digest(raw);
    const std::size_t size = raw.size();
    if (apart.share < alone.share * k_base_gain) {
        if (auto packed = pack(difference, apart)) {
            proto::EncodedChunk chunk = chunk_of(index, size, leaf, std::move(*packed));
            chunk.on_base = true;
            return chunk;
        }
    }
    auto packed = pack(raw, alone);
    return chunk_of(index, size, leaf, packed ? std::move(*packed) : Encoded{CodecId::stored, std::move(raw)});
}

Result<std::string> Codec::open(const proto::EncodedChunk& chunk) {
    if (chunk.on_base) return base_unnamed();
    return open_on_base(chunk, {});
}

Result<std::string> Codec::open_on_base(const proto::EncodedChunk& chunk, std::string_view base) {
    TRY_ASSIGN(std::string raw, decode(chunk.codec, chunk.bytes, chunk.raw_size));
    if (chunk.on_base) xor_onto(raw, base);
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
