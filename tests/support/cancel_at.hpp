// CancelAt: a sink that asks for an end once so many bytes of a transfer are through.
#pragma once

#include <cstdint>

#include "base/cancel.hpp"
#include "base/event.hpp"

namespace drawhitch::support {

// The token outlives it.
class CancelAt final : public EventSink {
  public:
    CancelAt(Cancel& cancel, std::uint64_t bytes) : cancel_(cancel), bytes_(bytes) {}
    void emit(const Event& event) noexcept override {
        if (event.kind != EventKind::advanced || event.unit != EventUnit::bytes) return;
        if (event.done >= bytes_) cancel_.request();
    }

  private:
    Cancel& cancel_;
    std::uint64_t bytes_{0};
};

}  // namespace drawhitch::support
