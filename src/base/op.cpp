#include "base/op.hpp"

#include <algorithm>

namespace drawhitch {

Op Op::within(milliseconds duration) const {
    return Op{cancel, clock, events, std::min(deadline, clock.now() + duration)};
}

milliseconds Op::left(milliseconds most) const {
    if (deadline == Instant::max()) return most;
    const auto rest = std::chrono::ceil<milliseconds>(deadline - clock.now());
    return std::clamp(rest, milliseconds{0}, most);
}

Status Op::check() const {
    if (cancel.requested()) return Error{Code::cancelled, "interrupted"};
    if (deadline != Instant::max() && clock.now() >= deadline) return Error{Code::deadline, "the deadline has passed"};
    return ok();
}

void Op::note(std::string text) const {
    events.emit(Event{EventKind::note, 0, EventUnit::none, 0, {}, std::move(text)});
}
void Op::warn(std::string text) const {
    events.emit(Event{EventKind::warning, 0, EventUnit::none, 0, {}, std::move(text)});
}
void Op::debug(std::string text) const {
    events.emit(Event{EventKind::debug, 0, EventUnit::none, 0, {}, std::move(text)});
}

}  // namespace drawhitch
