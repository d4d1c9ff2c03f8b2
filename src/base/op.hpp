// Op: what every call that may block receives first: the cancel token, an absolute deadline, the clock and the sink.
#pragma once

#include "base/cancel.hpp"
#include "base/event.hpp"
#include "base/result.hpp"
#include "base/time.hpp"

namespace drawhitch {

struct Op {
    const Cancel& cancel;
    Clock& clock;
    EventSink& events;
    Instant deadline{Instant::max()};

    // The same operation with a deadline at most `duration` from now; it only ever narrows.
    [[nodiscard]] Op within(milliseconds duration) const;
    // Time left until the deadline, clamped to [0, most].
    [[nodiscard]] milliseconds left(milliseconds most) const;
    // Code::cancelled or Code::deadline, or ok. Call it in every loop.
    [[nodiscard]] Status check() const;
    void note(std::string text) const;
    void warn(std::string text) const;
    void debug(std::string text) const;
};

}  // namespace drawhitch
