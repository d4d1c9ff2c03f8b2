// Frames: the outermost layer of the wire (docs/protocol.md, "Frames"). Encodes one, and cuts a byte stream into
// checked ones. Knows no message content.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "core/proto/message_type.hpp"

namespace drawhitch::proto {

struct Frame {
    MessageType type{MessageType::ping};
    std::uint32_t request{0};  // 0 for frames of the connection itself
    std::string payload{};
};

// Appends the frame to `out`. The payload must respect the limit of its type (asserted: only a bug can break it).
void append_frame(std::string& out, MessageType type, std::uint32_t request, std::string_view payload);

// The payload limit of a type byte, known or not.
std::size_t payload_limit(std::uint8_t type);

// Feed bytes as they come, take whole frames out. After an error the stream is unusable and every call fails again.
// Unknown type bytes are not an error here: the frame is delivered and the receiver refuses it.
class FrameDecoder {
  public:
    void feed(std::string_view bytes);
    // A frame, or nothing if more bytes are needed. Code::protocol when the header check, a length limit or the payload
    // check fails. Memory held is bounded by what was fed; nothing is allocated by announced length.
    Result<std::optional<Frame>> next();
    // Bytes fed and not yet delivered.
    [[nodiscard]] std::size_t buffered() const { return buffer_.size() - at_; }

  private:
    std::string buffer_{};
    std::size_t at_{0};
    bool broken_{false};
};

// The preamble a helper writes first: 8 magic bytes that no text contains, then the nonce.
std::string preamble(std::string_view nonce);

// Skips start-up noise before the preamble. Feed bytes; once found, `rest` is what followed it.
class PreambleFinder {
  public:
    explicit PreambleFinder(std::string_view nonce) : wanted_(preamble(nonce)) {}
    // True once found. Code::protocol when more than k_noise_max bytes came without it.
    Result<bool> feed(std::string_view bytes);
    [[nodiscard]] std::string take_rest() { return std::move(rest_); }
    // What came before it (the newest k_noise_max bytes), for diagnosis.
    [[nodiscard]] const std::string& noise() const { return seen_; }

  private:
    std::string wanted_{};
    std::string seen_{};
    std::string rest_{};
};

}  // namespace drawhitch::proto
