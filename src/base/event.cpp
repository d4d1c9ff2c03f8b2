#include "base/event.hpp"

#include <atomic>
#include <utility>

namespace drawhitch {

namespace {

class SilentSink final : public EventSink {
  public:
    void emit(const Event&) noexcept override {}
};

}  // namespace

std::uint64_t next_activity() noexcept {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

EventSink& silent_events() {
    static SilentSink sink;
    return sink;
}

Activity::Activity(EventSink& sink, std::string title, EventUnit unit, std::optional<std::uint64_t> total)
    : sink_(sink), state_{EventKind::started, next_activity(), unit, 0, total, std::move(title)} {
    sink_.emit(state_);
    state_.kind = EventKind::advanced;
}

Activity::~Activity() {
    if (!finished_) finish({});
}

void Activity::begin_at(std::uint64_t done) {
    state_.kind = EventKind::started;
    advance_to(done);
    state_.kind = EventKind::advanced;
}

void Activity::advance_to(std::uint64_t done) {
    state_.done = done;
    sink_.emit(state_);
}

void Activity::set_total(std::uint64_t total) {
    state_.total = total;
    sink_.emit(state_);
}

void Activity::finish(std::string how) {
    finished_ = true;
    state_.kind = EventKind::finished;
    state_.text = std::move(how);
    sink_.emit(state_);
}

}  // namespace drawhitch
