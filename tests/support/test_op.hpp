// TestOp: what a test needs to call anything that may block: a cancel token, a sink and a deadline far enough away
// never to decide a passing test.
#pragma once

#include "base/op.hpp"
#include "support/recording_sink.hpp"

namespace drawhitch::support {

class TestOp {
  public:
    explicit TestOp(Clock& clock = system_clock(), milliseconds limit = milliseconds{60'000})
        : clock_(clock), deadline_(clock.now() + limit) {}

    [[nodiscard]] Op op() const { return Op{cancel_, clock_, events_, deadline_}; }
    operator Op() const { return op(); }  // NOLINT(google-explicit-constructor): it stands for an Op everywhere

    Cancel& cancel() { return cancel_; }
    RecordingSink& events() { return events_; }

  private:
    Cancel cancel_{};
    Clock& clock_;
    mutable RecordingSink events_{};
    Instant deadline_{};
};

}  // namespace drawhitch::support
