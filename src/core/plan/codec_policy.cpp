#include "core/plan/codec_policy.hpp"

#include <algorithm>

namespace drawhitch::plan {

namespace {

// Raw bytes a second that one core packs, at the low end of what was measured on weights and training states (a loaded
// machine): with all codecs, and with planes of whole chunks and zstd at its lowest level.
constexpr double k_all = 150e6;
constexpr double k_fast = 300e6;
// Whoever packs at more than this share of its speed is, or soon will be, what limits.
constexpr double k_busy = 0.7;
// What packing leaves of weights, about: a processor that limits brings no more than this of its speed.
constexpr double k_left = 0.8;
// A box so near is this machine or its neighbour, and the link no reason to pack hard before its rate is known.
constexpr std::int64_t k_near = 1'000'000;

}  // namespace

Packing packing_for(const PackingFacts& facts) {
    const Packing hard{facts.codecs, 0};
    const Packing fast{facts.codecs & ~proto::codec_bit(proto::CodecId::segments), 1};
    if (facts.delivery == 0) return facts.round_trip != 0 && facts.round_trip < k_near ? fast : hard;
    const double cores = std::max(1U, facts.cores);
    const double share = std::min(1.0, cores / static_cast<double>(std::max<std::size_t>(1, facts.connections)));
    const auto packed = static_cast<double>(facts.delivery);
    // By packed bytes, as text that packs well is never slower for it: stored, it would have to fill the same link.
    if (packed >= k_fast * share * k_busy * k_left) return {0, 1};
    return packed * std::max(1.0, facts.grows) < k_all * share * k_busy ? hard : fast;
}

}  // namespace drawhitch::plan
