// What the tests of the structure checks share: a verdict on bytes in memory, and damage of every kind to a whole file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/parse/structure.hpp"
#include "support/memory_reader.hpp"
#include "support/paths.hpp"
#include "support/temp_dir.hpp"

namespace drawhitch::support {

// A file of tests/golden/structure, written by the format's own library.
inline std::string golden_structure(const std::string& name) {
    return read_file(source_dir() + "/tests/golden/structure/" + name);
}

// An Error of reading cannot occur in memory: it is told as a verdict that no case expects.
inline parse::StructureVerdict structure_of(std::string_view name, std::string_view bytes) {
    MemoryReader reader{bytes};
    auto verdict = parse::check_structure(name, reader);
    if (verdict) return *verdict;
    return {model::Structure::not_checked, "error", verdict.error().message};
}

inline bool passes(std::string_view name, std::string_view bytes) {
    const parse::StructureVerdict verdict = structure_of(name, bytes);
    return verdict.state == model::Structure::sound || verdict.state == model::Structure::not_checked;
}

// The lengths below the whole one at which a cut file passes as sound.
inline std::vector<std::size_t> cuts_that_pass(std::string_view name, std::string_view whole) {
    std::vector<std::size_t> lengths;
    for (std::size_t length = 0; length < whole.size(); ++length)
        if (passes(name, whole.substr(0, length))) lengths.push_back(length);
    return lengths;
}

// The bytes of which some flipped bit is not seen: the file passes as sound.
inline std::vector<std::size_t> flips_that_pass(std::string_view name, const std::string& whole) {
    std::vector<std::size_t> places;
    std::string bad = whole;
    for (std::size_t at = 0; at < whole.size(); ++at) {
        for (unsigned bit = 0; bit < 8; ++bit) {
            bad[at] = static_cast<char>(static_cast<unsigned char>(whole[at]) ^ (1U << bit));
            if (!passes(name, bad)) continue;
            places.push_back(at);
            break;
        }
        bad[at] = whole[at];
    }
    return places;
}

// `count` bytes of a number, the lowest first.
inline std::string little(std::uint64_t value, std::size_t count) {
    std::string bytes;
    for (std::size_t i = 0; i < count; ++i)
        bytes += static_cast<char>((value >> (8U * i)) & 0xFFU);
    return bytes;
}

inline std::string big(std::uint64_t value, std::size_t count) {
    std::string bytes = little(value, count);
    return {bytes.rbegin(), bytes.rend()};
}

}  // namespace drawhitch::support
