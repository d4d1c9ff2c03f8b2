// FakeClock: time that passes only when somebody sleeps or the test says so. Thread-safe.
#pragma once

#include <mutex>

#include "base/time.hpp"

namespace drawhitch::support {

class FakeClock final : public Clock {
  public:
    Instant now() const override;
    WallTime wall() const override;
    // Returns at once; the time has then passed. A cancelled sleep takes no time.
    void sleep(milliseconds duration, const Cancel& cancel) override;

    void advance(milliseconds duration);
    // All that was slept so far, without `advance`.
    [[nodiscard]] milliseconds slept() const;

  private:
    mutable std::mutex mutex_{};
    milliseconds elapsed_{0};
    milliseconds slept_{0};
};

}  // namespace drawhitch::support
