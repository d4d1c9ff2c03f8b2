#include "support/fake_clock.hpp"

#include "base/cancel.hpp"

namespace drawhitch::support {

namespace {

constexpr std::int64_t k_start_seconds = 1'800'000'000;  // 2027-01-15T08:00:00Z, a moment like any other

}  // namespace

Instant FakeClock::now() const {
    const std::lock_guard lock(mutex_);
    return Instant{std::chrono::hours{1} + elapsed_};
}

WallTime FakeClock::wall() const {
    const std::lock_guard lock(mutex_);
    const auto whole = std::chrono::floor<std::chrono::seconds>(elapsed_);
    return WallTime{k_start_seconds + whole.count(), static_cast<std::int32_t>((elapsed_ - whole).count()) * 1'000'000};
}

void FakeClock::sleep(milliseconds duration, const Cancel& cancel) {
    if (cancel.requested() || duration <= milliseconds{0}) return;
    const std::lock_guard lock(mutex_);
    elapsed_ += duration;
    slept_ += duration;
}

void FakeClock::advance(milliseconds duration) {
    const std::lock_guard lock(mutex_);
    elapsed_ += duration;
}

milliseconds FakeClock::slept() const {
    const std::lock_guard lock(mutex_);
    return slept_;
}

}  // namespace drawhitch::support
