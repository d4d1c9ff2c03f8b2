// Chunks and their fragments: the content of data frames (docs/protocol.md, "Data frames").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "core/proto/codec_id.hpp"
#include "core/proto/digest.hpp"

namespace drawhitch::proto {

// At most k_chunk raw bytes, encoded. For files `index` counts chunks of k_chunk; for bundles it counts blocks from 0.
struct EncodedChunk {
    std::uint32_t index{0};
    CodecId codec{CodecId::stored};
    bool on_base{false};  // the raw bytes were XORed with the base file's chunk before encoding
    std::uint32_t raw_size{0};
    Digest leaf{};  // leaf_digest of the raw bytes (before any XOR)
    std::string bytes{};
};

// Cuts one chunk into data-frame payloads.
class Fragmenter {
  public:
    explicit Fragmenter(EncodedChunk chunk) : chunk_(std::move(chunk)) {}
    [[nodiscard]] bool done() const { return done_; }
    // Size of the next payload: what credit must cover before it may be sent.
    [[nodiscard]] std::size_t next_size() const;
    std::string next();

  private:
    [[nodiscard]] std::size_t head_size() const;

    EncodedChunk chunk_{};
    std::size_t sent_{0};
    bool started_{false};
    bool done_{false};
};

// Puts fragments of one request together again. Fragments of one chunk come in order and without another chunk of the
// same request between them.
class ChunkAssembler {
  public:
    // The chunk, if this payload ends one. Code::protocol for anything malformed or past a limit; never holds more than
    // one encoded chunk.
    Result<std::optional<EncodedChunk>> feed(std::string_view payload);
    [[nodiscard]] bool idle() const { return !open_; }

  private:
    EncodedChunk chunk_{};
    std::size_t expected_{0};
    bool open_{false};
};

}  // namespace drawhitch::proto
