#include "core/codec/planes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>

namespace drawhitch::codec {

namespace {

// The sample: pieces spread evenly over the bytes, each at a multiple of 8, so that positions stay comparable.
constexpr std::size_t k_piece = 4U << 10U;
// A wider shape must gain this much over a narrower one: more planes are more tables and more noise in the guess.
constexpr double k_wider_gain = 0.99;
constexpr double k_rotate_gain = 0.998;

using Counts = std::array<std::uint32_t, 256>;

// bits per byte
double entropy(const Counts& counts) {
    std::uint32_t total = 0;
    float sum = 0;
    for (const std::uint32_t count : counts) {
        if (count == 0) continue;
        total += count;
        sum += static_cast<float>(count) * std::log2(static_cast<float>(count));
    }
    if (total == 0) return 0;
    // The sample is small: what a table of the true shares would need is a little more (Miller and Madow's correction).
    const auto used = static_cast<double>(std::ranges::count_if(counts, [](std::uint32_t n) { return n != 0; }));
    const double bits = std::log2(static_cast<double>(total)) - static_cast<double>(sum) / total;
    return std::min(8.0, bits + (used - 1) / (2.0 * total * std::log(2.0)));
}

std::string sample_of(std::string_view raw, std::size_t pieces) {
    if (raw.size() <= k_piece * pieces) return std::string(raw.substr(0, raw.size() & ~std::size_t{7}));
    std::string sample;
    sample.reserve(k_piece * pieces);
    const std::size_t stride = (raw.size() - k_piece) / (pieces - 1) & ~std::size_t{7};
    for (std::size_t piece = 0; piece < pieces; ++piece)
        sample.append(raw.substr(piece * stride, k_piece));
    return sample;
}

struct Measured {
    double share{1.0};
    std::array<double, k_planes_max> bits{};
};

Measured measure_planes(std::span<const Counts> planes) {
    Measured result{};
    double sum = 0;
    for (std::size_t plane = 0; plane < planes.size(); ++plane)
        sum += result.bits[plane] = entropy(planes[plane]);
    result.share = sum / (8.0 * static_cast<double>(planes.size()));
    return result;
}

Measured measure(const std::array<Counts, 8>& positions, std::size_t width) {
    std::array<Counts, k_planes_max> merged{};
    for (std::size_t at = 0; at < positions.size(); ++at)
        for (std::size_t value = 0; value < 256; ++value)
            merged[at % width][value] += positions[at][value];
    return measure_planes(std::span{merged}.first(width));
}

template <typename Number>
Number load(const char* at) {
    Number value{};
    std::memcpy(&value, at, sizeof value);
    if constexpr (std::endian::native == std::endian::big) {
        auto* bytes = reinterpret_cast<unsigned char*>(&value);
        std::reverse(bytes, bytes + sizeof value);
    }
    return value;
}

template <typename Number>
void store(char* at, Number value) {
    if constexpr (std::endian::native == std::endian::big) {
        auto* bytes = reinterpret_cast<unsigned char*>(&value);
        std::reverse(bytes, bytes + sizeof value);
    }
    std::memcpy(at, &value, sizeof value);
}

std::array<Counts, 8> count_positions(std::string_view sample) {
    std::array<Counts, 8> positions{};
    for (std::size_t at = 0; at + 8 <= sample.size(); at += 8)
        for (std::size_t byte = 0; byte < 8; ++byte)
            ++positions[byte][static_cast<unsigned char>(sample[at + byte])];
    return positions;
}

template <typename Number>
Measured measure_rotated(std::string_view sample, std::size_t phase) {
    constexpr std::size_t width = sizeof(Number);
    std::array<Counts, width> planes{};
    // A number that crosses from one piece of the sample to the next is nonsense, one in hundreds.
    for (std::size_t at = phase; at + width <= sample.size(); at += width) {
        const Number value = std::rotl(load<Number>(sample.data() + at), 1);
        for (std::size_t byte = 0; byte < width; ++byte)
            ++planes[byte][static_cast<std::size_t>((value >> (8 * byte)) & 0xFFU)];
    }
    return measure_planes(planes);
}

// Regrouping needs no phase where no bits move: a plane is a residue of the position. Rotation does.
template <typename Number>
void try_rotation(std::string_view sample, ShapeGuess& guess) {
    const double unrotated = guess.share;
    for (std::uint8_t phase = 0; phase < sizeof(Number); ++phase) {
        const Measured rotated = measure_rotated<Number>(sample, phase);
        if (rotated.share >= std::min(guess.share, unrotated * k_rotate_gain)) continue;
        guess.shape = {sizeof(Number), phase, true};
        guess.share = rotated.share;
        guess.plane_bits = rotated.bits;
    }
}

template <typename Number, bool Rotate>
void split(const char* raw, std::size_t count, char* planes) {
    for (std::size_t at = 0; at < count; ++at) {
        Number value = load<Number>(raw + at * sizeof(Number));
        if constexpr (Rotate) value = static_cast<Number>((value << 1U) | (value >> (8 * sizeof(Number) - 1)));
        for (std::size_t plane = 0; plane < sizeof(Number); ++plane)
            planes[plane * count + at] = static_cast<char>(value >> (8 * plane));
    }
}

template <typename Number, bool Rotate>
void join(const char* planes, std::size_t count, char* raw) {
    for (std::size_t at = 0; at < count; ++at) {
        Number value = 0;
        for (std::size_t plane = 0; plane < sizeof(Number); ++plane)
            value = static_cast<Number>(
                value | (static_cast<Number>(static_cast<unsigned char>(planes[plane * count + at])) << (8 * plane)));
        if constexpr (Rotate) value = static_cast<Number>((value >> 1U) | (value << (8 * sizeof(Number) - 1)));
        store(raw + at * sizeof(Number), value);
    }
}

// Calls `work` with a number of that width; with none for any other.
void with_width(std::uint8_t width, const auto& work) {
    if (width == 2) work(std::uint16_t{});
    if (width == 4) work(std::uint32_t{});
    if (width == 8) work(std::uint64_t{});
}

}  // namespace

ShapeGuess guess_shape(std::string_view raw, std::size_t pieces) {
    ShapeGuess guess{};
    const std::string sample = sample_of(raw, std::max<std::size_t>(pieces, 2));
    if (sample.size() < 64) return guess;
    const auto positions = count_positions(sample);
    guess.share = measure(positions, 1).share;
    for (const std::uint8_t width : {std::uint8_t{2}, std::uint8_t{4}, std::uint8_t{8}}) {
        const Measured measured = measure(positions, width);
        if (measured.share >= guess.share * k_wider_gain) continue;
        guess.shape = {width, 0, false};
        guess.share = measured.share;
        guess.plane_bits = measured.bits;
    }
    const std::uint8_t width = guess.shape.width;
    with_width(width, [&](auto number) { try_rotation<decltype(number)>(sample, guess); });
    return guess;
}

void split_planes(std::string_view raw, const PlaneShape& shape, char* planes) {
    const std::size_t count = numbers_in(raw.size(), shape);
    with_width(shape.width, [&](auto number) {
        using Number = decltype(number);
        const char* first = raw.data() + shape.phase;
        shape.rotate ? split<Number, true>(first, count, planes) : split<Number, false>(first, count, planes);
    });
}

void join_planes(const char* planes, const PlaneShape& shape, std::size_t size, char* raw) {
    const std::size_t count = numbers_in(size, shape);
    with_width(shape.width, [&](auto number) {
        using Number = decltype(number);
        char* first = raw + shape.phase;
        shape.rotate ? join<Number, true>(planes, count, first) : join<Number, false>(planes, count, first);
    });
}

}  // namespace drawhitch::codec
