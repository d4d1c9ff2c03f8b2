#include "support/recording_sink.hpp"

namespace drawhitch::support {

void RecordingSink::emit(const Event& event) noexcept {
    const std::lock_guard lock(mutex_);
    events_.push_back(event);
}

std::vector<Event> RecordingSink::events() const {
    const std::lock_guard lock(mutex_);
    return events_;
}

std::vector<std::string> RecordingSink::texts(EventKind kind) const {
    std::vector<std::string> found;
    for (const Event& event : events()) {
        if (event.kind == kind) found.push_back(event.text);
    }
    return found;
}

bool RecordingSink::told(EventKind kind, std::string_view text) const {
    for (const std::string& said : texts(kind)) {
        if (said.find(text) != std::string::npos) return true;
    }
    return false;
}

}  // namespace drawhitch::support
