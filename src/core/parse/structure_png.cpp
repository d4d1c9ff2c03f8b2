#include <zlib.h>

#include <algorithm>

#include "base/text.hpp"
#include "core/parse/structure_bytes.hpp"

// Chunks as in the PNG specification (third edition), section 5.
namespace drawhitch::parse {

namespace {

constexpr std::string_view k_png_start = "\x89PNG\r\n\x1a\n";
constexpr std::size_t k_chunk_head = 8;  // length and type
constexpr std::size_t k_chunk_crc = 4;
constexpr std::uint64_t k_longest_chunk = 0x7FFFFFFF;

uLong crc_over(uLong crc, std::string_view bytes) {
    return ::crc32(crc, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size()));
}

struct Chunk {
    std::string type{};
    std::uint64_t length{0};
    std::uint64_t end{0};
};

bool is_type(std::string_view type) {
    return std::ranges::all_of(type, [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); });
}

Result<Chunk> read_chunk(Window& window, std::uint64_t at) {
    TRY_ASSIGN(const std::string_view head, window.at(at, k_chunk_head));
    if (head.size() < k_chunk_head) return broken_file("the file ends before its IEND chunk");
    const std::string type{head.substr(4)};
    const std::uint64_t length = big_endian(head, 0, 4);
    if (!is_type(type) || length > k_longest_chunk)
        return broken_file("what stands at byte " + std::to_string(at) + " is no chunk");
    const std::uint64_t data = at + k_chunk_head;
    if (window.size() - data < length + k_chunk_crc) return broken_file("the file ends inside its " + type + " chunk");
    uLong crc = crc_over(::crc32(0, nullptr, 0), type);
    for (std::uint64_t done = 0; done < length;) {
        TRY_ASSIGN(const std::string_view piece, window.some(data + done, length - done));
        crc = crc_over(crc, piece);
        done += piece.size();
    }
    TRY_ASSIGN(const std::string_view stored, window.at(data + length, k_chunk_crc));
    if (stored.size() != k_chunk_crc) return shrank();
    if (big_endian(stored, 0, k_chunk_crc) != crc)
        return broken_file("the CRC of the " + type + " chunk at byte " + std::to_string(at) + " is wrong");
    return Chunk{type, length, data + length + k_chunk_crc};
}

Status check_chunks(Reader& file) {
    Window window{file};
    TRY(expect_start(window, k_png_start, "a PNG image"));
    bool has_data = false;
    std::uint64_t at = k_png_start.size();
    for (bool first = true;; first = false) {
        const auto read = read_chunk(window, at);
        if (!read) return read.error();
        const Chunk& chunk = *read;
        if (first && (chunk.type != "IHDR" || chunk.length != 13))
            return broken_file("its first chunk is not the header of an image");
        has_data = has_data || chunk.type == "IDAT";
        at = chunk.end;
        if (chunk.type == "IEND") break;
    }
    if (!has_data) return broken_file("it has no image data");
    if (at != file.size()) return unjudged_file(counted(file.size() - at, "byte") + " follow the end of the image");
    return ok();
}

}  // namespace

Result<StructureVerdict> check_png(Reader& file) {
    return as_verdict("png", check_chunks(file));
}

}  // namespace drawhitch::parse
