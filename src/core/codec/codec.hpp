// Codecs: chunks in, smaller chunks out, and back with a bound. Pure; the only file pair that knows the compression
// library. Compiles without exceptions, for the helper.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "core/proto/chunk.hpp"
#include "core/proto/codec_id.hpp"

namespace drawhitch::codec {

struct Choice {
    proto::CodecSet allowed{0};  // stored and zero always are
    int level{0};                // of zstd, 1 to 19; 0 = 3
};

// What this build can encode and decode.
[[nodiscard]] proto::CodecSet supported();

struct Encoded {
    proto::CodecId codec{proto::CodecId::stored};
    std::string bytes{};
};

// Keeps the library's working memory between calls; one thread at a time. Costs nothing until first used.
class Codec {
  public:
    Codec();
    ~Codec();
    Codec(Codec&&) noexcept;
    Codec& operator=(Codec&&) noexcept;

    // Picks, by looking at a sample, the codec that pays; never grows beyond the raw bytes. Cannot fail: falls back to
    // stored.
    Encoded encode(std::string_view raw, const Choice& choice);
    // Exactly `raw_size` bytes or Code::protocol; never allocates more than `raw_size` for output.
    Result<std::string> decode(proto::CodecId codec, std::string_view encoded, std::size_t raw_size);

    // Encodes one chunk of a file with its leaf, ready for proto::Fragmenter.
    proto::EncodedChunk seal(std::uint32_t index, std::string_view raw, const Choice& choice);
    // The same; a chunk that is not worth packing travels in the caller's own bytes, without a copy.
    proto::EncodedChunk seal_owned(std::uint32_t index, std::string&& raw, const Choice& choice);
    // The same for a chunk of which the other side has a base (missing bytes of it count as zero): sent as the
    // difference to that where a sample says that this is smaller.
    proto::EncodedChunk seal_on_base(std::uint32_t index, std::string&& raw, std::string_view base,
                                     const Choice& choice);
    // About how many bytes `raw` takes without a base, from a sample.
    std::size_t expected_size(std::string_view raw, const Choice& choice);
    // The raw bytes of a chunk whose leaf holds; Code::integrity if it does not, Code::protocol if it cannot be
    // decoded.
    Result<std::string> open(const proto::EncodedChunk& chunk);
    // The same; stored bytes are handed on without a copy.
    Result<std::string> open(proto::EncodedChunk&& chunk);
    // The same for a chunk that may be on a base: `base` is our chunk of that file. The leaf proves the result, so a
    // base that is not the other side's can do no harm.
    Result<std::string> open_on_base(const proto::EncodedChunk& chunk, std::string_view base);

  private:
    struct Look;
    Look look(std::string_view raw, const Choice& choice);
    std::optional<Encoded> pack(std::string_view raw, const Look& look);
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace drawhitch::codec
