// Signals become the cancel token: one thread waits for SIGINT, SIGTERM and SIGHUP, so no handler ever runs inside our
// code. Created in main before any other thread, because threads inherit the blocked signals; so do child processes,
// which must unblock them and reset SIGPIPE before exec.
#pragma once

#include <csignal>

#include <functional>
#include <thread>

#include "base/cancel.hpp"

namespace drawhitch::cli {

class SignalThread {
  public:
    // The first signal requests `cancel`; a second SIGINT calls `leave`, which restores the
    // terminal, and ends the process with code 130: at once, or, while a TidyingUp holds `cancel`, as soon as that is
    // over, at most eight seconds later. SIGHUP is left alone when the process was started with it ignored (nohup).
    SignalThread(Cancel& cancel, std::function<void()> leave);
    ~SignalThread();
    SignalThread(const SignalThread&) = delete;
    SignalThread& operator=(const SignalThread&) = delete;

  private:
    void wait_for_signals();

    Cancel& cancel_;
    std::function<void()> leave_;
    sigset_t set_{};
    std::thread thread_{};
};

// A reader that goes away is an error code, never a signal.
void ignore_write_signals();

// Descriptors 0, 1 and 2 that were closed by whoever started us are opened on /dev/null, so that no file of ours ever
// lands there. Writing to such a standard output fails, as it should.
void keep_standard_descriptors();

}  // namespace drawhitch::cli
