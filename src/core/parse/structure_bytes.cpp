#include "core/parse/structure_bytes.hpp"

#include <algorithm>
#include <array>

namespace drawhitch::parse {

namespace {

using CrcTable = std::array<std::uint32_t, 256>;

// The reversed polynomial of RFC 3720, appendix B.4.
constexpr std::uint32_t k_castagnoli = 0x82F63B78;

// Row k has the CRCs of one byte with k zeros behind it, so that eight bytes are taken at once.
constexpr std::array<CrcTable, 8> make_crc_tables() {
    std::array<CrcTable, 8> tables{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t crc = byte;
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc & 1U) != 0 ? (crc >> 1U) ^ k_castagnoli : crc >> 1U;
        tables[0][byte] = crc;
    }
    for (std::size_t row = 1; row < tables.size(); ++row) {
        for (std::size_t byte = 0; byte < 256; ++byte) {
            const std::uint32_t shorter = tables[row - 1][byte];
            tables[row][byte] = (shorter >> 8U) ^ tables[0][shorter & 0xFFU];
        }
    }
    return tables;
}

constexpr std::array<CrcTable, 8> k_crc_tables = make_crc_tables();

}  // namespace

std::uint64_t little_endian(std::string_view bytes, std::size_t at, std::size_t count) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i)
        value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[at + i])) << (8U * i);
    return value;
}

std::uint64_t big_endian(std::string_view bytes, std::size_t at, std::size_t count) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i)
        value = (value << 8U) | static_cast<unsigned char>(bytes[at + i]);
    return value;
}

StructureVerdict sound_file(std::string_view format) {
    return {model::Structure::sound, std::string{format}, {}};
}

Error broken_file(std::string detail) {
    return Error{Code::integrity, std::move(detail)};
}

Error unjudged_file(std::string detail) {
    return Error{Code::skipped, std::move(detail)};
}

Error shrank() {
    return Error{Code::changed, "the file shrank while it was checked"};
}

Result<StructureVerdict> as_verdict(std::string_view format, const Status& checked) {
    if (checked) return sound_file(format);
    const Error& error = checked.error();
    if (error.code == Code::integrity)
        return StructureVerdict{model::Structure::broken, std::string{format}, error.message};
    if (error.code == Code::skipped)
        return StructureVerdict{model::Structure::unknown_format, std::string{format}, error.message};
    return error;
}

Result<std::string_view> Window::at(std::uint64_t offset, std::size_t count) {
    if (offset >= file_.size()) return std::string_view{};
    const auto here = static_cast<std::size_t>(std::min<std::uint64_t>(count, file_.size() - offset));
    if (offset < begin_ || offset - begin_ > block_.size() || here > block_.size() - (offset - begin_)) {
        block_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(k_most, file_.size() - offset)));
        begin_ = offset;
        const auto got = file_.read_at(offset, block_);
        const bool whole = got && *got == block_.size();
        if (!whole) block_.clear();
        if (!got) return got.error();
        if (!whole) return shrank();
    }
    return std::string_view{block_}.substr(static_cast<std::size_t>(offset - begin_), here);
}

Result<std::string_view> Window::some(std::uint64_t offset, std::uint64_t left) {
    TRY_ASSIGN(const std::string_view bytes,
               at(offset, static_cast<std::size_t>(std::min<std::uint64_t>(left, k_most))));
    if (bytes.empty() && left > 0) return shrank();
    return bytes;
}

Status expect_start(Window& window, std::string_view signature, std::string_view what) {
    constexpr std::size_t k_looked_at = 16;
    TRY_ASSIGN(const std::string_view start, window.at(0, k_looked_at));
    if (start.empty()) return broken_file("the file is empty");
    if (start.starts_with(signature)) return ok();
    if (signature.starts_with(start)) return broken_file("the file is cut short");
    if (start.find_first_not_of('\0') == std::string_view::npos)
        return broken_file("it begins with zeros: its data was never written");
    return unjudged_file("it does not begin as " + std::string{what} + " does");
}

std::uint32_t crc32c(std::uint32_t before, std::string_view bytes) {
    std::uint32_t crc = ~before;
    while (bytes.size() >= 8) {
        const std::uint64_t word = little_endian(bytes, 0, 8) ^ crc;
        crc = 0;
        for (std::size_t i = 0; i < 8; ++i)
            crc ^= k_crc_tables[7 - i][(word >> (8U * i)) & 0xFFU];
        bytes.remove_prefix(8);
    }
    for (const char byte : bytes)
        crc = (crc >> 8U) ^ k_crc_tables[0][(crc ^ static_cast<unsigned char>(byte)) & 0xFFU];
    return ~crc;
}

}  // namespace drawhitch::parse
