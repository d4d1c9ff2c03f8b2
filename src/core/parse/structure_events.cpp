#include "core/parse/structure_bytes.hpp"

namespace drawhitch::parse {

namespace {

constexpr std::string_view k_events = "event records";
constexpr std::size_t k_head = 12;  // the length, 8 bytes, and the CRC of these
constexpr std::size_t k_crc = 4;

// TensorFlow stores a CRC turned and shifted, so that one over data with CRCs in it stays strong (its
// lib/hash/crc32c.h).
std::uint32_t masked(std::uint32_t crc) {
    return ((crc >> 15U) | (crc << 17U)) + 0xA282EAD8U;
}

std::string where(std::uint64_t number, std::uint64_t at) {
    return "record " + std::to_string(number) + ", at byte " + std::to_string(at) + ",";
}

// A writer that still writes, or was killed, leaves a part of a record; all before it is whole.
Error tail(std::uint64_t whole) {
    return unjudged_file("its last record is cut short, as a writer leaves it that has not ended or was killed; " +
                         std::to_string(whole) + " whole ones lie before it");
}

Result<bool> data_is_right(Window& window, std::uint64_t at, std::uint64_t length) {
    std::uint32_t crc = 0;
    for (std::uint64_t done = 0; done < length;) {
        TRY_ASSIGN(const std::string_view piece, window.some(at + done, length - done));
        crc = crc32c(crc, piece);
        done += piece.size();
    }
    TRY_ASSIGN(const std::string_view stored, window.at(at + length, k_crc));
    if (stored.size() != k_crc) return shrank();
    return little_endian(stored, 0, k_crc) == masked(crc);
}

Status check_records(Reader& file) {
    Window window{file};
    std::uint64_t number = 0;
    for (std::uint64_t at = 0; at < file.size(); ++number) {
        TRY_ASSIGN(const std::string_view head, window.at(at, k_head));
        if (head.size() < k_head) return tail(number);
        if (little_endian(head, 8, k_crc) != masked(crc32c(0, head.substr(0, 8))))
            return broken_file("the CRC of the length of " + where(number + 1, at) + " is wrong");
        const std::uint64_t length = little_endian(head, 0, 8);
        const std::uint64_t left = file.size() - at - k_head;
        if (left < k_crc || length > left - k_crc) return tail(number);
        TRY_ASSIGN(const bool right, data_is_right(window, at + k_head, length));
        if (!right) return broken_file("the CRC of the data of " + where(number + 1, at) + " is wrong");
        at += k_head + length + k_crc;
    }
    if (number == 0) return unjudged_file("it is empty: no record was written yet");
    return ok();
}

}  // namespace

Result<StructureVerdict> check_event_records(Reader& file) {
    return as_verdict(k_events, check_records(file));
}

}  // namespace drawhitch::parse
