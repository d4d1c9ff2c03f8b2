// Walks the blocks of a tar archive as they come, plain or out of a compressed file. Private to
// core/parse/structure*.cpp; its Errors are those of structure_bytes.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace drawhitch::parse {

class TarWalk {
  public:
    // The next bytes of the archive, in pieces of any length.
    Status feed(std::string_view bytes);
    // Bytes of a member's data that come next: they may be passed over with `skip` instead.
    [[nodiscard]] std::uint64_t to_skip() const { return data_left_; }
    void skip(std::uint64_t count);
    // The archive ends here.
    [[nodiscard]] Status finish() const;

  private:
    Status take_block();
    Status take_header();
    Status take_extended();
    Status begin_data(char type, std::uint64_t size);
    void take_zeros();

    std::uint64_t at_{0};         // bytes taken so far
    std::uint64_t data_left_{0};  // of the member at hand, with its padding
    std::uint64_t members_{0};
    std::string block_{};
    std::string name_{};                   // of the member at hand, as its header has it
    std::string extended_{};               // of a pax header
    std::uint64_t extended_left_{0};       // of its bytes, without the padding
    std::uint64_t size_from_extended_{0};  // of the next member
    bool has_size_from_extended_{false};
    std::uint64_t data_after_sparse_{0};
    bool in_sparse_map_{false};
    int zero_blocks_{0};
    bool ended_{false};
    bool trailing_{false};  // something stands behind the end mark
};

}  // namespace drawhitch::parse
