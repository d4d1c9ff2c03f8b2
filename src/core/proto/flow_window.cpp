#include "core/proto/flow_window.hpp"

#include <algorithm>

namespace drawhitch::proto {

namespace {

constexpr std::int64_t k_nanoseconds = 1'000'000'000;
// A round is a round trip, but no less: shorter ones measure how the scheduler hands out slices.
constexpr std::int64_t k_shortest_round = 10'000'000;
// Below this round trip the path is the machine itself or its neighbour; the processor is what limits.
constexpr std::int64_t k_near = 4'000'000;
constexpr std::uint64_t k_first_window = 512U << 10U;  // what a new TCP connection has sent after five round trips
// An eighth more than the path holds is under way on purpose: half of that, seen in two of the last four rounds, is no
// accident.
constexpr std::int64_t k_queue_share = 16;
constexpr std::int64_t k_queue_least = 2'000'000;
constexpr std::size_t k_rounds_to_judge = 4;
constexpr int k_queued_rounds = 2;
constexpr double k_ends = 0.010;  // seconds that bytes wait in the programs at both ends
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
    rounds_[next_] = {in_round_, now - round_began_, queues()};
    next_ = (next_ + 1) % k_rounds;
    round_began_ = now;
    in_round_ = 0;
    if (!starting_) {
        adapt();
    } else if (rate() >= full_at_ + full_at_ / 4) {
        full_at_ = rate();
        flat_rounds_ = 0;
    } else if (++flat_rounds_ >= k_flat_rounds) {
        starting_ = false;
        adapt();
    }
}

// As much as the path holds, an eighth more, and what is under way at both ends. Where its queue stays empty the path
// is not what limits: there the window only grows, or a slow machine at either end would starve itself.
void FlowWindow::adapt() {
    const auto at_the_ends = static_cast<std::uint64_t>(static_cast<double>(rate()) * k_ends);
    const std::uint64_t wanted = product() + product() / 8 + at_the_ends;
    const bool empty = shortest_queued_ != 0 && !queued_lately();
    held_ = empty ? std::max(held_, wanted + product() / 8) : wanted;
}

bool FlowWindow::held_back() const {
    return !starting_ && !queued_lately();
}

bool FlowWindow::queued_lately() const {
    int queued = 0;
    for (std::size_t ago = 0; ago < k_rounds_to_judge; ++ago)
        if (round_ago(ago).queued) ++queued;
    return queued >= k_queued_rounds;
}

const FlowWindow::Round& FlowWindow::round_ago(std::size_t rounds) const {
    return rounds_[(next_ + k_rounds - 1 - rounds) % k_rounds];
}

std::uint64_t FlowWindow::rate() const {
    double best = 0;
    for (std::size_t ago = 0; ago < k_rounds; ++ago) {
        Round seen = round_ago(ago);
        if (seen.took == 0) break;
        // What was held up in one round comes with the next one, so only two together tell the path's rate.
        if (!starting_ && ago + 1 < k_rounds && round_ago(ago + 1).took != 0) {
            seen.bytes += round_ago(ago + 1).bytes;
            seen.took += round_ago(ago + 1).took;
        }
        best = std::max(best, static_cast<double>(seen.bytes) / static_cast<double>(seen.took));
    }
    return static_cast<std::uint64_t>(best * static_cast<double>(k_nanoseconds));
}

std::uint64_t FlowWindow::product() const {
    return static_cast<std::uint64_t>(static_cast<double>(rate()) * static_cast<double>(round_trip_) /
                                      static_cast<double>(k_nanoseconds));
}

void FlowWindow::queued_round_trip(std::int64_t nanoseconds) {
    if (nanoseconds <= 0) return;
    queued_ = nanoseconds;
    shortest_queued_ = shortest_queued_ == 0 ? nanoseconds : std::min(shortest_queued_, nanoseconds);
}

bool FlowWindow::queues() const {
    return queued_ > shortest_queued_ + shortest_queued_ / k_queue_share + k_queue_least;
}

std::uint64_t FlowWindow::window() const {
    if (round_trip_ == 0) return k_first_window;
    if (round_trip_ < k_near) return most_;
    if (rate() == 0) return k_first_window;
    // TCP's own start doubles each round trip, and what it brings is measured a round later: only twice the double
    // never holds it back. Where the queue shows already, the double is enough.
    const std::uint64_t grows = queues() ? 2 : 4;
    const std::uint64_t wanted = starting_ ? std::max(k_first_window, grows * product()) : held_;
    return std::clamp(wanted, k_least, most_);
}

}  // namespace drawhitch::proto
