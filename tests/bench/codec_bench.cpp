// What each codec makes of real bytes, and how fast on one core: share of the raw size, MB/s in and out. Without files
// it measures weights of one normal distribution. usage: codec [FILE…]
#include <bit>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "core/codec/codec.hpp"
#include "core/proto/limits.hpp"
#include "support/temp_dir.hpp"

using namespace drawhitch;
using proto::CodecId;

namespace {

struct Row {
    std::size_t packed{0};
    double in{0};   // seconds
    double out{0};  // seconds
    std::size_t used[5]{};
};

double seconds_since(Instant start) {
    return std::chrono::duration<double>(system_clock().now() - start).count();
}

Row measure(const std::string& raw, proto::CodecSet allowed) {
    Row row{};
    codec::Codec codec;
    for (std::size_t at = 0; at < raw.size(); at += proto::k_chunk) {
        const std::string_view chunk = std::string_view{raw}.substr(at, proto::k_chunk);
        const Instant begun = system_clock().now();
        const codec::Encoded encoded = codec.encode(chunk, codec::Choice{allowed, 1});
        row.in += seconds_since(begun);
        const Instant packed = system_clock().now();
        const auto again = codec.decode(encoded.codec, encoded.bytes, chunk.size());
        row.out += seconds_since(packed);
        if (!again || *again != chunk) std::fprintf(stderr, "NOT THE SAME at %zu\n", at);
        row.packed += encoded.bytes.size();
        ++row.used[static_cast<std::size_t>(encoded.codec)];
    }
    return row;
}

void show(const std::string& name, const std::string& raw) {
    const proto::CodecSet zstd = proto::codec_bit(CodecId::zstd);
    const proto::CodecSet all = codec::supported();
    for (const auto& [what, set] : {std::pair{"zstd", zstd}, std::pair{"all", all}}) {
        measure(raw, set);
        const Row row = measure(raw, set);
        const double mb = static_cast<double>(raw.size()) / 1e6;
        std::printf(
            "%-28s %-5s share %.4f  in %6.0f MB/s  out %6.0f MB/s  stored %zu zero %zu zstd %zu planes %zu segments "
            "%zu\n",
            name.c_str(), what, static_cast<double>(row.packed) / static_cast<double>(raw.size()), mb / row.in,
            mb / row.out, row.used[0], row.used[1], row.used[2], row.used[3], row.used[4]);
    }
}

std::string weights(bool half) {
    std::mt19937 generator(7);
    std::normal_distribution<float> normal(0, 0.02F);
    std::string raw;
    for (std::size_t at = 0; at < 8U << 20U; ++at) {
        const auto bits = std::bit_cast<std::uint32_t>(normal(generator));
        for (unsigned byte = half ? 2 : 0; byte < 4; ++byte)
            raw.push_back(static_cast<char>(static_cast<unsigned char>(bits >> (8 * byte))));
    }
    return raw;
}

}  // namespace

int main(int argc, char** argv) {
    for (int at = 1; at < argc; ++at)
        show(std::string(argv[at]).substr(std::string(argv[at]).rfind('/') + 1), support::read_file(argv[at]));
    if (argc == 1) {
        show("bf16 weights", weights(true));
        show("fp32 weights", weights(false));
    }
}
