#include "core/plan/flow_window.hpp"

#include <algorithm>

namespace drawhitch::plan {

namespace {

constexpr std::int64_t k_nanoseconds = 1'000'000'000;
// A round is a round trip, but no less: shorter ones measure how the scheduler hands out slices.
constexpr std::int64_t k_shortest_round = 10'000'000;
// Below this round trip the path is the machine itself or its neighbour; the processor is what limits.
constexpr std::int64_t k_near = 4'000'000;
constexpr std::uint64_t k_first = 512U << 10U;  // what a new TCP connection has sent after five round trips
constexpr std::uint64_t k_least = 256U << 10U;  // two frames: one on its way while the other is decoded
// The rate of a start that has not grown by a quarter for three rounds is the path's (as BBR's start has it).
constexpr int k_flat_rounds = 3;

}  // namespace

void FlowWindow::round_trip(std::int64_t nanoseconds) {
    if (nanoseconds <= 0) return;
    round_trip_ = round_trip_ == 0 ? nanoseconds : std::min(round_trip_, nanoseconds);
}

std::int64_t FlowWindow::round() const {
    return std::max(round_trip_, k_shortest_round);
}

void FlowWindow::paused() {
    in_round_now_ = false;
}

void FlowWindow::arrived(std::int64_t now, std::uint64_t bytes) {
    if (!in_round_now_ || now < round_began_) {
        in_round_now_ = true;
        round_began_ = now;
        in_round_ = 0;  // these bytes took a time nobody measured
        return;
    }
    in_round_ += bytes;
    if (now - round_began_ >= round()) end_round(now);
}

void FlowWindow::end_round(std::int64_t now) {
    const double seconds = static_cast<double>(now - round_began_) / static_cast<double>(k_nanoseconds);
    rates_[next_] = static_cast<std::uint64_t>(static_cast<double>(in_round_) / seconds);
    next_ = (next_ + 1) % k_rounds;
    round_began_ = now;
    in_round_ = 0;
    if (!starting_) return;
    if (rate() >= full_at_ + full_at_ / 4) {
        full_at_ = rate();
        flat_rounds_ = 0;
    } else if (++flat_rounds_ >= k_flat_rounds) {
        starting_ = false;
    }
}

std::uint64_t FlowWindow::rate() const {
    return *std::max_element(rates_.begin(), rates_.end());
}

std::uint64_t FlowWindow::window() const {
    const std::uint64_t best = rate();
    if (round_trip_ == 0) return k_first;
    if (round_trip_ < k_near) return k_most;
    if (best == 0) return k_first;
    const auto product = static_cast<std::uint64_t>(static_cast<double>(best) * static_cast<double>(round_trip_) /
                                                    static_cast<double>(k_nanoseconds));
    // A start doubles each round; later an eighth more than the path holds finds out when it holds more.
    const std::uint64_t wanted = starting_ ? std::max(k_first, 2 * product) : product + product / 8;
    return std::clamp(wanted, k_least, k_most);
}

}  // namespace drawhitch::plan
