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
    // Whether a TidyingUp lives: what it cares for must not stay behind, so nobody leaves the process at once yet.
    [[nodiscard]] bool has_to_tidy_up() const noexcept { return holds_.load() > 0; }

  private:
    friend class TidyingUp;
    void hold(int change) const noexcept;

    std::atomic<bool> requested_{false};
    mutable std::atomic<int> holds_{0};
    const Cancel* parent_{nullptr};
    UniqueFd read_end_{};
    UniqueFd write_end_{};
};

// Lives as long as there is something that must be gone when the process ends, however it ends (the demo's keys and
// server). A second Ctrl-C then waits for it, for a bounded time.
class TidyingUp {
  public:
    explicit TidyingUp(const Cancel& cancel) noexcept : cancel_(cancel) { cancel_.hold(1); }
    ~TidyingUp() { cancel_.hold(-1); }
    TidyingUp(const TidyingUp&) = delete;
    TidyingUp& operator=(const TidyingUp&) = delete;

  private:
    const Cancel& cancel_;
};

}  // namespace drawhitch
