// Tools that the structure checks share. Private to core/parse/structure*.cpp. Within a check an Error with
// Code::integrity says that the file is broken and one with Code::skipped that it cannot be judged; `as_verdict` turns
// them into what is told. Errors of reading keep their own codes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "core/parse/structure.hpp"

namespace drawhitch::parse {

// How much a packed file may unpack to before it is called a bomb: this much, or this many times its size.
inline constexpr std::uint64_t k_unpack_floor = 16ULL << 30U;
inline constexpr std::uint64_t k_unpack_ratio = 32;

// `count` (at most 8) bytes from `at` on as a number; they must be there.
std::uint64_t little_endian(std::string_view bytes, std::size_t at, std::size_t count);
std::uint64_t big_endian(std::string_view bytes, std::size_t at, std::size_t count);

StructureVerdict sound_file(std::string_view format);

Error broken_file(std::string detail);
Error unjudged_file(std::string detail);
Error shrank();
// Sound where `checked` is good.
Result<StructureVerdict> as_verdict(std::string_view format, const Status& checked);

// A file seen through one block of memory, for reading mostly forward. Blocks with the Reader.
class Window {
  public:
    static constexpr std::size_t k_most = 256U << 10U;

    explicit Window(Reader& file) : file_(file) {}
    [[nodiscard]] std::uint64_t size() const { return file_.size(); }
    // `count` (at most k_most) bytes from `offset` on, fewer only where the file ends. Valid until the next call.
    Result<std::string_view> at(std::uint64_t offset, std::size_t count);
    // The same with at most `left` and k_most bytes: one step of a walk over a long piece.
    Result<std::string_view> some(std::uint64_t offset, std::uint64_t left);

  private:
    Reader& file_;
    std::uint64_t begin_{0};
    std::string block_{};
};

// For endings that other content goes by, too (a JPEG called .png, a text called .gz): good where the file begins with
// `signature`, unjudged where it does not, broken where it is empty, cut short in the signature, or begins with zeros,
// as data does that was never written. `what` is "a PNG image".
Status expect_start(Window& window, std::string_view signature, std::string_view what);

// CRC-32C (Castagnoli) of `bytes` behind those whose CRC is `before` (0 at the start).
std::uint32_t crc32c(std::uint32_t before, std::string_view bytes);

}  // namespace drawhitch::parse
