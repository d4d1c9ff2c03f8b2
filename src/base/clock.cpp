// The only file that reads a clock or waits.
#include <poll.h>

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "base/cancel.hpp"
#include "base/time.hpp"

namespace drawhitch {

namespace {

class SystemClock final : public Clock {
  public:
    Instant now() const override { return std::chrono::steady_clock::now(); }

    WallTime wall() const override {
        timespec time{};
        ::clock_gettime(CLOCK_REALTIME, &time);
        return WallTime{static_cast<std::int64_t>(time.tv_sec), static_cast<std::int32_t>(time.tv_nsec)};
    }

    void sleep(milliseconds duration, const Cancel& cancel) override {
        const Instant end = now() + duration;
        while (!cancel.requested()) {
            const auto left = std::chrono::ceil<milliseconds>(end - now()).count();
            if (left <= 0) return;
            pollfd wake{cancel.fd(), POLLIN, 0};
            ::poll(&wake, 1, static_cast<int>(std::min<long long>(left, 60'000)));
        }
    }
};

}  // namespace

Clock& system_clock() {
    static SystemClock clock;
    return clock;
}

}  // namespace drawhitch
