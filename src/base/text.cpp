#include "base/text.hpp"

#include <algorithm>
#include <cstdio>

namespace drawhitch {

CodePoint decode_utf8(std::string_view bytes) {
    const auto lead = static_cast<unsigned char>(bytes[0]);
    if (lead < 0x80) return {lead, 1};
    const std::size_t length = lead >= 0xF0 && lead < 0xF8   ? 4
                               : lead >= 0xE0 && lead < 0xF0 ? 3
                               : lead >= 0xC2 && lead < 0xE0 ? 2
                                                             : 0;
    if (length == 0 || bytes.size() < length) return {};
    std::uint32_t value = lead & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        const auto next = static_cast<unsigned char>(bytes[i]);
        if ((next & 0xC0U) != 0x80U) return {};
        value = (value << 6U) | (next & 0x3FU);
    }
    const std::uint32_t smallest = length == 4 ? 0x10000U : length == 3 ? 0x800U : 0x80U;
    if (value < smallest || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return {};
    return {value, length};
}

// C0, C1 and DEL move the cursor or start escapes; the bidirectional controls can make a name read as another one; line
// and paragraph separators break rows.
bool is_harmless(std::uint32_t c) {
    const bool control = c < 0x20 || (c >= 0x7F && c < 0xA0);
    const bool direction =
        (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0x200E || c == 0x200F || c == 0x061C;
    return !control && !direction && c != 0x2028 && c != 0x2029 && c != 0xFEFF;
}

std::string shell_quote(std::string_view text) {
    std::string quoted = "'";
    for (char c : text) {
        if (c == '\'') {
            quoted += "'\\''";
        } else {
            quoted += c;
        }
    }
    return quoted += "'";
}

std::string shell_word(std::string_view text) {
    const auto harmless = [](char byte) {
        return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
               std::string_view{"._/:@%+-"}.find(byte) != std::string_view::npos;
    };
    const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), harmless);
    return plain ? std::string{text} : shell_quote(text);
}

std::string printable(std::string_view bytes) {
    static constexpr char k_digits[] = "0123456789abcdef";
    std::string shown;
    while (!bytes.empty()) {
        const CodePoint point = decode_utf8(bytes);
        const std::size_t length = std::max<std::size_t>(point.length, 1);
        if (point.length != 0 && is_harmless(point.value)) {
            shown.append(bytes.substr(0, length));
        } else {
            for (char c : bytes.substr(0, length)) {
                const auto byte = static_cast<unsigned char>(c);
                shown += "\\x";
                shown += k_digits[byte >> 4U];
                shown += k_digits[byte & 0xFU];
            }
        }
        bytes.remove_prefix(length);
    }
    return shown;
}

bool is_valid_utf8(std::string_view bytes) {
    while (!bytes.empty()) {
        const CodePoint point = decode_utf8(bytes);
        if (point.length == 0) return false;
        bytes.remove_prefix(point.length);
    }
    return true;
}

std::string hex(std::string_view bytes) {
    static constexpr char k_digits[] = "0123456789abcdef";
    std::string text;
    text.reserve(bytes.size() * 2);
    for (char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        text += k_digits[byte >> 4U];
        text += k_digits[byte & 0xFU];
    }
    return text;
}

namespace {

int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

}  // namespace

std::string unhex(std::string_view text) {
    if (text.size() % 2 != 0) return {};
    std::string bytes;
    bytes.reserve(text.size() / 2);
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const int high = hex_value(text[i]);
        const int low = hex_value(text[i + 1]);
        if (high < 0 || low < 0) return {};
        bytes += static_cast<char>(high * 16 + low);
    }
    return bytes;
}

std::string base64(std::string_view bytes) {
    static constexpr char k_letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            group = (group << 8U) | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            text += k <= count ? k_letters[(group >> (18U - 6U * k)) & 0x3FU] : '=';
        }
    }
    return text;
}

std::string human_bytes(std::uint64_t bytes) {
    static constexpr const char* k_units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes < 1024) return std::to_string(bytes) + " B";
    double value = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    while (value >= 1023.95 && unit + 1 < std::size(k_units)) {
        value /= 1024;
        ++unit;
    }
    char text[32] = {};
    std::snprintf(text, sizeof text, value < 99.95 ? "%.1f %s" : "%.0f %s", value, k_units[unit]);
    return text;
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
    std::string text = std::to_string(count) + " ";
    if (count == 1 || many.empty()) {
        text.append(one).append(count == 1 ? "" : "s");
    } else {
        text.append(many);
    }
    return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t at = text.find(separator);
        parts.push_back(text.substr(0, at));
        if (at == std::string_view::npos) return parts;
        text.remove_prefix(at + 1);
    }
}

std::string_view trim(std::string_view text) {
    static constexpr std::string_view k_space = " \t\r\n\v\f";
    const std::size_t first = text.find_first_not_of(k_space);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(k_space) - first + 1);
}

std::string_view behind(std::string_view text, std::string_view start) {
    return text.starts_with(start) ? text.substr(start.size()) : std::string_view{};
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::string lower(std::string_view text) {
    std::string lowered(text);
    for (char& c : lowered) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return lowered;
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i != 0) text += separator;
        text += parts[i];
    }
    return text;
}

bool is_plain_name(std::string_view text) {
    if (text.empty() || text.front() == '-' || text.front() == '.') return false;
    return std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
               c == '-';
    });
}

}  // namespace drawhitch
