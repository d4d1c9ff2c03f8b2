#include "cli/signals.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "base/time.hpp"
#include "cli/exit_code.hpp"

namespace drawhitch::cli {

namespace {

constexpr int k_stop = SIGUSR2;  // wakes the thread when it is to end

// The demo's children get two seconds after TERM and two after KILL; its files are few.
constexpr milliseconds k_longest_tidying{8000};

void wait_until_tidy(const Cancel& cancel) {
    const Cancel never;
    const Instant end = system_clock().now() + k_longest_tidying;
    while (cancel.has_to_tidy_up() && system_clock().now() < end)
        system_clock().sleep(milliseconds{10}, never);
}

bool is_ignored(int signal_number) {
    struct sigaction now {};
    return ::sigaction(signal_number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace

SignalThread::SignalThread(Cancel& cancel, std::function<void()> leave) : cancel_(cancel), leave_(std::move(leave)) {
    ::sigemptyset(&set_);
    ::sigaddset(&set_, SIGINT);
    ::sigaddset(&set_, SIGTERM);
    ::sigaddset(&set_, k_stop);
    if (!is_ignored(SIGHUP)) ::sigaddset(&set_, SIGHUP);
    ::pthread_sigmask(SIG_BLOCK, &set_, nullptr);
    thread_ = std::thread{[this] { wait_for_signals(); }};
}

SignalThread::~SignalThread() {
    ::pthread_kill(thread_.native_handle(), k_stop);
    thread_.join();
}

void SignalThread::wait_for_signals() {
    bool interrupted = false;
    for (;;) {
        int got = 0;
        if (::sigwait(&set_, &got) != 0) continue;
        if (got == k_stop) return;
        if (got == SIGINT && interrupted) {
            leave_();
            wait_until_tidy(cancel_);
            ::_exit(exit_code::k_interrupted);
        }
        interrupted = interrupted || got == SIGINT;
        cancel_.request();
    }
}

// Both are told as errors by the call that met them: a reader that left, and a file at its size limit (ulimit -f).
void ignore_write_signals() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &ignore, nullptr);
    ::sigaction(SIGXFSZ, &ignore, nullptr);
}

void keep_standard_descriptors() {
    for (int fd = 0; fd <= 2; ++fd) {
        if (::fcntl(fd, F_GETFD) >= 0) continue;
        // The lowest free number is taken, which is `fd`: those below it are open.
        const int opened = ::open("/dev/null", fd == 2 ? O_WRONLY : O_RDONLY);
        if (opened != fd && opened >= 0) ::close(opened);
    }
}

}  // namespace drawhitch::cli
