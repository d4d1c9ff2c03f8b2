// Byte planes: the bytes of 2-, 4- or 8-byte numbers regrouped by significance, which lets the exponents of weights be
// packed although their mantissas are noise. Owns the guess of the elements' shape, the regrouping and its way back;
// never the packing of a plane (codec.cpp does that). Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace drawhitch::codec {

inline constexpr std::size_t k_planes_max = 8;

// How a chunk is cut into little-endian numbers.
struct PlaneShape {
    std::uint8_t width{1};  // bytes of a number: 1 (no planes), 2, 4 or 8
    std::uint8_t phase{0};  // bytes before the first whole number, less than the width
    bool rotate{false};     // rotate each number left by one bit: a float's exponent then fills one byte of its own
};
[[nodiscard]] constexpr bool is_valid(const PlaneShape& shape) {
    return (shape.width == 2 || shape.width == 4 || shape.width == 8) && shape.phase < shape.width;
}

// A guess from a sample of the bytes: the shape whose planes have the least entropy, and what it would pack the bytes
// into, as a share of their size (1 = nothing gained).
struct ShapeGuess {
    PlaneShape shape{};
    double share{1.0};
    std::array<double, k_planes_max> plane_bits{};  // entropy of each plane's bytes, 0 to 8 bits
};
// The sample is `pieces` (2 or more) times 4 KiB.
[[nodiscard]] ShapeGuess guess_shape(std::string_view raw, std::size_t pieces = 8);

// How many numbers `size` bytes hold under a shape: the size of each plane. What is left over at the front (`phase`
// bytes) and the end is no part of any plane.
[[nodiscard]] constexpr std::size_t numbers_in(std::size_t size, const PlaneShape& shape) {
    return size < shape.phase ? 0 : (size - shape.phase) / shape.width;
}

// The planes of the numbers in `raw`, one behind the other, the least significant bytes first. `shape` is valid and
// `planes` has numbers_in * width bytes of room.
void split_planes(std::string_view raw, const PlaneShape& shape, char* planes);
// The way back: writes numbers_in(size, shape) * width bytes at raw + phase.
void join_planes(const char* planes, const PlaneShape& shape, std::size_t size, char* raw);

}  // namespace drawhitch::codec
