// Bytes like those that people move, the same on every run. usage: make_payload random|bf16|fp32|checkpoint|logs BYTES
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

namespace {

using Random = std::mt19937_64;

void put(std::string& out, std::uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i)
        out.push_back(static_cast<char>(static_cast<unsigned char>(value >> (8 * i))));
}

void put_float(std::string& out, double value, bool half) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    put(out, half ? bits >> 16U : bits, half ? 2 : 4);
}

// A layer of a model with its optimizer's state, as a training checkpoint has them: weights in bf16, their fp32
// masters, the first and the second moment.
void put_layer(std::string& out, Random& random) {
    constexpr int k_weights = 256 << 10;
    std::normal_distribution<double> normal(0, 1);
    const double scale = std::exp2(-6 + normal(random) / 2);
    std::string masters;
    std::string first;
    std::string second;
    for (int i = 0; i < k_weights; ++i) {
        const double weight = scale * normal(random);
        put_float(out, weight, true);
        put_float(masters, weight, false);
        put_float(first, 1e-4 * scale * normal(random), false);
        const double square = normal(random);
        put_float(second, 1e-8 * square * square, false);
    }
    out += masters + first + second;
}

void put_line(std::string& out, Random& random) {
    static constexpr std::string_view k_words[] = {"loading", "shard",   "loss",    "grad",  "norm",       "tokens",
                                                   "worker",  "rank",    "device",  "cache", "validation", "saved",
                                                   "retry",   "timeout", "sampler", "queue"};
    static std::uint64_t step = 0;
    char text[320];
    const std::uint64_t some = random();
    std::snprintf(
        text, sizeof text,
        "{\"step\": %llu, \"level\": \"%s\", \"rank\": %llu, \"loss\": %.4f, \"grad_norm\": %.4f, \"msg\": \"%s %s "
        "%s\", \"request_id\": \"%08llx\"}\n",
        static_cast<unsigned long long>(++step), some % 13 == 0 ? "WARN" : "INFO",
        static_cast<unsigned long long>(some % 8), 2 + static_cast<double>(random() % 10000) / 1e4,
        static_cast<double>(random() % 10000) / 1e4, k_words[some >> 8U & 15U].data(),
        k_words[some >> 16U & 15U].data(), k_words[some >> 24U & 15U].data(),
        static_cast<unsigned long long>(some >> 32U));
    out += text;
}

bool put_some(std::string_view kind, std::string& out, Random& random) {
    if (kind == "random") {
        for (int i = 0; i < 1 << 16; ++i)
            put(out, random(), 8);
    } else if (kind == "bf16" || kind == "fp32") {
        std::normal_distribution<double> normal(0, 0.02);
        for (int i = 0; i < 1 << 18; ++i)
            put_float(out, normal(random), kind == "bf16");
    } else if (kind == "checkpoint") {
        put_layer(out, random);
    } else if (kind == "logs") {
        for (int i = 0; i < 4096; ++i)
            put_line(out, random);
    } else {
        return false;
    }
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    Random random{7};
    std::uint64_t left = argc == 3 ? std::strtoull(argv[2], nullptr, 10) : 0;
    std::string out;
    while (left > 0) {
        out.clear();
        if (!put_some(argv[1], out, random)) break;
        if (out.size() > left) out.resize(left);
        if (std::fwrite(out.data(), 1, out.size(), stdout) != out.size()) return 1;
        left -= out.size();
    }
    if (left == 0 && argc == 3) return 0;
    std::fprintf(stderr, "usage: make_payload random|bf16|fp32|checkpoint|logs BYTES\n");
    return 2;
}
