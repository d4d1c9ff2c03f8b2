#include "core/plan/codec_policy.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

using namespace drawhitch;
using namespace drawhitch::plan;

namespace {

constexpr proto::CodecSet k_codecs = 0x1F;
const Packing k_hard{k_codecs, 0};
const Packing k_fast{k_codecs & ~proto::codec_bit(proto::CodecId::segments), 1};
const Packing k_none{0, 1};

Packing at(std::uint64_t delivery, unsigned cores, std::size_t connections, double grows = 1.2) {
    return packing_for({delivery, grows, 20'000'000, cores, connections, k_codecs});
}

}  // namespace

TEST_CASE("a slow link is packed for as hard as the box can, a fast one less, the fastest not at all") {
    CHECK(at(2'000'000, 2, 1) == k_hard);
    CHECK(at(25'000'000, 4, 1) == k_hard);      // 200 Mbit/s
    CHECK(at(120'000'000, 4, 1) == k_fast);     // 1 Gbit/s
    CHECK(at(1'000'000'000, 64, 1) == k_none);  // 10 Gbit/s
}

TEST_CASE("connections share the cores of the box") {
    CHECK(at(8'000'000, 16, 16) == k_hard);
    CHECK(at(12'000'000, 2, 16) == k_fast);
    CHECK(at(60'000'000, 2, 8) == k_none);
    CHECK(at(60'000'000, 0, 0) == k_hard);  // a helper that does not know counts as one core
}

TEST_CASE("text that packs to a fifth is packed fast where the box limits, and never sent whole for it") {
    CHECK(at(60'000'000, 4, 1, 5.0) == k_fast);
    CHECK(at(10'000'000, 4, 1, 5.0) == k_hard);
}

TEST_CASE("before the rate is known only a near box packs less") {
    CHECK(packing_for({0, 1.0, 80'000'000, 4, 1, k_codecs}) == k_hard);
    CHECK(packing_for({0, 1.0, 0, 4, 1, k_codecs}) == k_hard);
    CHECK(packing_for({0, 1.0, 100'000, 4, 1, k_codecs}) == k_fast);
}

// A model of one connection: the box packs at `speed` with what was chosen, or the link limits.
TEST_CASE("whatever the link and the box, the choice settles and is never slower than stored by more than noise") {
    for (double link = 1e6; link < 4e9; link *= 1.5) {
        for (const double slower : {1.0, 2.0}) {
            double delivery = 0;
            double grows = 1;
            double raw = 0;
            Packing last{};
            for (int round = 0; round < 20; ++round) {
                last = packing_for({static_cast<std::uint64_t>(delivery), grows, 20'000'000, 4, 1, k_codecs});
                const double speed = last == k_none ? 2e9 : (last == k_fast ? 600e6 : 300e6) / slower;
                const double left = last == k_none ? 1.0 : 0.8;
                raw = std::min(speed, link / left);
                delivery = raw * left;
                grows = 1 / left;
            }
            const Packing again =
                packing_for({static_cast<std::uint64_t>(delivery), grows, 20'000'000, 4, 1, k_codecs});
            INFO("link " << link << " slower " << slower);
            CHECK(again == last);
            CHECK(raw >= std::min(2e9, link) * 0.99);
        }
    }
}
