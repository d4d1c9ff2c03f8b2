#include "flow/transfer/group_watch.hpp"

#include <algorithm>
#include <chrono>

namespace drawhitch::flow {

namespace {

constexpr int k_share = 5;  // of the time between two calls, one part in so many is spent telling

}  // namespace

GroupWatch::GroupWatch(const Clock& clock, PullState& state, PullFinisher& finisher, const GroupsDone& done)
    : clock_(clock), state_(state), finisher_(finisher), done_(done) {
    if (done_.tell) thread_ = std::thread{[this] { run(); }};
}

GroupWatch::~GroupWatch() {
    {
        const std::lock_guard lock{mutex_};
        ended_ = true;
        ending_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
}

// False once the transfer is over.
bool GroupWatch::rest(milliseconds duration) {
    std::unique_lock lock{mutex_};
    return !ending_.wait_for(lock, duration, [this] { return ended_; });
}

void GroupWatch::run() {
    milliseconds pause = done_.pace;
    while (rest(pause)) {
        pause = std::max(done_.pace, milliseconds{1});
        const auto groups = state_.take_done_groups();
        if (groups.empty()) continue;
        const auto begun = clock_.now();
        finisher_.land_now();
        done_.tell(state_.results_of(groups));
        const auto taken = clock_.now() - begun;
        pause = std::max(pause, k_share * std::chrono::duration_cast<milliseconds>(taken));
    }
}

}  // namespace drawhitch::flow
