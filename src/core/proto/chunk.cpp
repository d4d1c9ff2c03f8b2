#include "core/proto/chunk.hpp"

#include <algorithm>
#include <cassert>

#include "core/proto/limits.hpp"
#include "core/proto/wire.hpp"

namespace drawhitch::proto {

namespace {

constexpr std::uint8_t k_first = 1;
constexpr std::uint8_t k_last = 2;
constexpr std::size_t k_short_head = 4 + 1;  // chunk, flags
constexpr std::size_t k_full_head = k_short_head + 1 + 1 + 4 + 4 + 32;
static_assert(k_full_head <= k_data_head_max);

}  // namespace

std::size_t Fragmenter::head_size() const {
    return started_ ? k_short_head : k_full_head;
}

std::size_t Fragmenter::next_size() const {
    return done_ ? 0 : head_size() + std::min(k_fragment, chunk_.bytes.size() - sent_);
}

std::string Fragmenter::next() {
    assert(!done_);
    const std::string_view piece = std::string_view(chunk_.bytes).substr(sent_, k_fragment);
    const bool last = sent_ + piece.size() == chunk_.bytes.size();
    std::string payload;
    payload.reserve(head_size() + piece.size());
    Writer write(payload);
    write(chunk_.index);
    write(static_cast<std::uint8_t>((started_ ? 0U : k_first) | (last ? k_last : 0U)));
    if (!started_) {
        write(chunk_.codec);
        write(chunk_.on_base);
        write(chunk_.raw_size);
        write(static_cast<std::uint32_t>(chunk_.bytes.size()));
        write(chunk_.leaf);
    }
    payload.append(piece);
    sent_ += piece.size();
    started_ = true;
    done_ = last;
    return payload;
}

Result<std::optional<EncodedChunk>> ChunkAssembler::feed(std::string_view payload) {
    Reader read(payload);
    std::uint32_t index = 0;
    std::uint8_t flags = 0;
    read(index), read(flags);
    const bool first = (flags & k_first) != 0;
    const bool last = (flags & k_last) != 0;
    if (!read.ok() || flags > (k_first | k_last) || first == open_) return malformed("data");
    if (first) {
        chunk_ = EncodedChunk{};
        chunk_.index = index;
        std::uint32_t encoded = 0;
        read(chunk_.codec), read(chunk_.on_base), read(chunk_.raw_size), read(encoded), read(chunk_.leaf);
        expected_ = encoded;
        if (!read.ok() || chunk_.raw_size > k_chunk || encoded > k_encoded_chunk_max) return malformed("data");
        open_ = true;
        // Within the limit just checked, and most of it is about to come.
        chunk_.bytes.reserve(encoded);
    }
    const std::string_view piece = read.rest();
    const std::size_t total = chunk_.bytes.size() + piece.size();
    const bool fits = last ? total == expected_ : total < expected_ && !piece.empty();
    if (index != chunk_.index || piece.size() > k_fragment || !fits) return malformed("data");
    chunk_.bytes.append(piece);
    if (!last) return std::optional<EncodedChunk>{};
    open_ = false;
    return std::optional<EncodedChunk>{std::move(chunk_)};
}

}  // namespace drawhitch::proto
