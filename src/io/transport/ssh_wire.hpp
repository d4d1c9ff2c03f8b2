// SSH's basic encodings (RFC 4251, section 5): big-endian numbers and length-prefixed strings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace drawhitch::transport {

inline std::string wire_number(std::uint32_t value) {
    std::string bytes;
    for (const unsigned shift : {24U, 16U, 8U, 0U})
        bytes += static_cast<char>(value >> shift & 0xFFU);
    return bytes;
}

inline std::string wire_string(std::string_view text) {
    return wire_number(static_cast<std::uint32_t>(text.size())).append(text);
}

// Each call takes one field off the front, or answers false and takes nothing.
class WireReader {
  public:
    explicit WireReader(std::string_view bytes) : bytes_(bytes) {}

    bool skip(std::size_t count) {
        if (bytes_.size() < count) return false;
        bytes_.remove_prefix(count);
        return true;
    }
    bool number(std::uint32_t& value) {
        if (bytes_.size() < 4) return false;
        value = 0;
        for (std::size_t i = 0; i < 4; ++i)
            value = value << 8U | static_cast<unsigned char>(bytes_[i]);
        bytes_.remove_prefix(4);
        return true;
    }
    bool text(std::string_view& value) {
        WireReader ahead(bytes_);
        std::uint32_t size = 0;
        if (!ahead.number(size) || size > ahead.bytes_.size()) return false;
        value = ahead.bytes_.substr(0, size);
        bytes_ = ahead.bytes_.substr(size);
        return true;
    }

  private:
    std::string_view bytes_{};
};

}  // namespace drawhitch::transport
