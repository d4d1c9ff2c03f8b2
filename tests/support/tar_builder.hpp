// Tar archives for tests, block by block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace drawhitch::support {

inline std::string octal_field(std::uint64_t value, std::size_t width) {
    std::string digits;
    for (std::size_t i = 0; i + 1 < width; ++i, value /= 8)
        digits.insert(digits.begin(), static_cast<char>('0' + value % 8));
    return digits + '\0';
}

// One header of 512 bytes; `size_field` (12 bytes) in place of the octal size where it is given.
inline std::string tar_header(std::string_view name, char type, std::uint64_t size, std::string_view size_field = {}) {
    std::string header(512, '\0');
    const auto put = [&](std::size_t at, std::string_view bytes) { header.replace(at, bytes.size(), bytes); };
    put(0, name);
    put(100, octal_field(0644, 8));
    put(108, octal_field(0, 8));
    put(116, octal_field(0, 8));
    put(124, size_field.empty() ? octal_field(size, 12) : std::string{size_field});
    put(136, octal_field(1'700'000'000, 12));
    put(156, std::string(1, type));
    put(257, std::string_view{"ustar\00000", 8});
    put(148, "        ");
    std::uint64_t sum = 0;
    for (const char c : header)
        sum += static_cast<unsigned char>(c);
    put(148, octal_field(sum, 7) + ' ');
    return header;
}

inline std::string tar_padded(std::string data) {
    data.resize((data.size() + 511) / 512 * 512, '\0');
    return data;
}

inline std::string tar_member(std::string_view name, const std::string& data, char type = '0') {
    return tar_header(name, type, data.size()) + tar_padded(data);
}

inline std::string tar_end() {
    return std::string(1024, '\0');
}

}  // namespace drawhitch::support
