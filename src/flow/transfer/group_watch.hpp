// GroupWatch: the thread of a pull that tells, while the rest is still fetched, which groups of items are complete and
// on disk. Decides nothing about them.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "flow/transfer/pull_finisher.hpp"
#include "flow/transfer/pull_state.hpp"

namespace drawhitch::flow {

class GroupWatch {
  public:
    // Nothing is watched where `done.tell` is empty. All four outlive this.
    GroupWatch(const Clock& clock, PullState& state, PullFinisher& finisher, const GroupsDone& done);
    // Waits for a call that is under way.
    ~GroupWatch();
    GroupWatch(const GroupWatch&) = delete;
    GroupWatch& operator=(const GroupWatch&) = delete;

  private:
    void run();
    bool rest(milliseconds duration);

    const Clock& clock_;
    PullState& state_;
    PullFinisher& finisher_;
    const GroupsDone& done_;
    std::mutex mutex_{};
    std::condition_variable ending_{};
    bool ended_{false};
    std::thread thread_{};
};

}  // namespace drawhitch::flow
