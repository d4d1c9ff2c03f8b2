// The log file of --log-file: every event with its time, for bug reports. Rotates by size, readable by its owner only.
#pragma once

#include <memory>
#include <string>

#include "base/event.hpp"
#include "base/result.hpp"

namespace drawhitch::term {

// Writes nothing but events: no argv and no environment, where secrets may stand. Thread-safe.
class LogFile final : public EventSink {
  public:
    // Appends to `path` (created with mode 0600, or with its own mode when it exists). Code::local_io and the like when
    // it cannot be written.
    static Result<std::unique_ptr<LogFile>> open(const std::string& path);
    ~LogFile() override;
    void emit(const Event& event) noexcept override;
    // Some event could not be written (the disk is full, say): the file is not whole.
    [[nodiscard]] bool failed() const;

  private:
    struct Logger;
    explicit LogFile(std::unique_ptr<Logger> logger);
    std::unique_ptr<Logger> logger_;
};

}  // namespace drawhitch::term
