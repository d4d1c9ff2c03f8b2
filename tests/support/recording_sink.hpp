// RecordingSink keeps every event, so that a test can ask what the user would have been told. Thread-safe.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/event.hpp"

namespace drawhitch::support {

class RecordingSink final : public EventSink {
  public:
    void emit(const Event& event) noexcept override;

    [[nodiscard]] std::vector<Event> events() const;
    [[nodiscard]] std::vector<std::string> texts(EventKind kind) const;
    // True when an event of that kind contains the text.
    [[nodiscard]] bool told(EventKind kind, std::string_view text) const;

  private:
    mutable std::mutex mutex_{};
    std::vector<Event> events_{};
};

}  // namespace drawhitch::support
