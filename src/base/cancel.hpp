// Cancel: the token every blocking call watches. One exists per process, set by the signal thread (or by a test).
#pragma once

#include <atomic>

#include "base/fd.hpp"

namespace drawhitch {

// Thread-safe. `request` is async-signal-safe and may be called any number of times. `fd` becomes and stays readable
// once cancelled: put it into every poll set.
class Cancel {
  public:
    Cancel();
    // Also requested once `parent` is; its `fd` wakes nobody for that: whoever made it passes the request on.
    explicit Cancel(const Cancel* parent);
    Cancel(const Cancel&) = delete;
    Cancel& operator=(const Cancel&) = delete;

    void request() noexcept;
    [[nodiscard]] bool requested() const noexcept {
        return requested_.load(std::memory_order_relaxed) || (parent_ != nullptr && parent_->requested());
    }
    [[nodiscard]] int fd() const noexcept { return read_end_.get(); }

  private:
    std::atomic<bool> requested_{false};
    const Cancel* parent_{nullptr};
    UniqueFd read_end_{};
    UniqueFd write_end_{};
};

}  // namespace drawhitch
