// MemoryReader: a file of a structure check that lies in memory.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "core/parse/structure.hpp"

namespace drawhitch::support {

class MemoryReader final : public parse::Reader {
  public:
    explicit MemoryReader(std::string_view bytes) : bytes_(bytes) {}
    [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
    Result<std::size_t> read_at(std::uint64_t offset, std::span<char> buffer) override {
        read_ += buffer.size();
        largest_ = std::max(largest_, buffer.size());
        if (offset >= bytes_.size()) return std::size_t{0};
        const std::string_view piece = bytes_.substr(static_cast<std::size_t>(offset), buffer.size());
        std::copy(piece.begin(), piece.end(), buffer.begin());
        return piece.size();
    }
    // Bytes asked for so far.
    [[nodiscard]] std::uint64_t read() const { return read_; }
    // The most bytes that were asked for at once.
    [[nodiscard]] std::size_t largest() const { return largest_; }

  private:
    std::string_view bytes_;
    std::uint64_t read_{0};
    std::size_t largest_{0};
};

}  // namespace drawhitch::support
