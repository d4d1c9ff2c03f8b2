// FuzzFrames: fuzz input read as frames, so that a fuzzer that knows no checksum still gets past them. Each is
// u8 type, u8 flags, u16 length, payload; a length beyond the input is cut.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/proto/message_type.hpp"

namespace drawhitch::support {

struct FuzzFrame {
    proto::MessageType type{};
    std::uint8_t flags{0};
    std::string_view payload{};
};

class FuzzFrames {
  public:
    FuzzFrames(const std::uint8_t* data, std::size_t size) : rest_(reinterpret_cast<const char*>(data), size) {}

    std::optional<FuzzFrame> next() {
        if (rest_.size() < 4) return std::nullopt;
        const auto byte = [this](std::size_t at) { return static_cast<std::uint8_t>(rest_[at]); };
        FuzzFrame frame{static_cast<proto::MessageType>(byte(0)), byte(1), {}};
        frame.payload = rest_.substr(4, byte(2) | static_cast<std::size_t>(byte(3)) << 8U);
        rest_.remove_prefix(4 + frame.payload.size());
        return frame;
    }

  private:
    std::string_view rest_{};
};

}  // namespace drawhitch::support
