#include "support/syscall_faults.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>

namespace {

enum class Mode { off, count, kill, fail };

std::atomic<Mode> g_mode{Mode::off};  // the one place for mutable globals: a C symbol has no other memory
std::atomic<std::size_t> g_calls{0};
std::atomic<std::size_t> g_at{0};
std::atomic<int> g_errno{0};
std::atomic<bool> g_persistent{false};

enum class Fate { go_on, fail, die };

Fate next_call() {
    const Mode mode = g_mode.load();
    if (mode == Mode::off) return Fate::go_on;
    const std::size_t n = ++g_calls;
    if (mode == Mode::kill && n == g_at.load()) return Fate::die;
    if (mode == Mode::fail && (n == g_at.load() || (g_persistent.load() && n > g_at.load()))) return Fate::fail;
    return Fate::go_on;
}

[[noreturn]] void die() {
    ::kill(::getpid(), SIGKILL);
    for (;;)
        ::pause();
}

int failed() {
    errno = g_errno.load();
    return -1;
}

template <class... Arguments>
int checked(long number, Arguments... arguments) {
    switch (next_call()) {
        case Fate::die:
            die();
        case Fate::fail:
            return failed();
        case Fate::go_on:
            break;
    }
    return static_cast<int>(::syscall(number, arguments...));
}

}  // namespace

namespace drawhitch::support {

void SyscallFaults::kill_at(std::size_t n) {
    g_calls = 0;
    g_at = n;
    g_mode = Mode::kill;
}

void SyscallFaults::fail_at(std::size_t n, int error_number, bool persistent) {
    g_calls = 0;
    g_at = n;
    g_errno = error_number;
    g_persistent = persistent;
    g_mode = Mode::fail;
}

void SyscallFaults::count() {
    g_calls = 0;
    g_mode = Mode::count;
}

void SyscallFaults::disarm() {
    g_mode = Mode::off;
}

std::size_t SyscallFaults::calls() {
    return g_calls.load();
}

}  // namespace drawhitch::support

extern "C" {

ssize_t write(int fd, const void* bytes, size_t count) {
    switch (next_call()) {
        case Fate::die:
            ::syscall(SYS_write, fd, bytes, count / 2);
            die();
        case Fate::fail:
            return failed();
        case Fate::go_on:
            break;
    }
    return ::syscall(SYS_write, fd, bytes, count);
}

ssize_t pwrite(int fd, const void* bytes, size_t count, off_t offset) {
    switch (next_call()) {
        case Fate::die:
            ::syscall(SYS_pwrite64, fd, bytes, count / 2, offset);
            die();
        case Fate::fail:
            return failed();
        case Fate::go_on:
            break;
    }
    return ::syscall(SYS_pwrite64, fd, bytes, count, offset);
}

int openat(int directory, const char* path, int flags, ...) {
    mode_t mode = 0;
    if ((flags & O_CREAT) != 0) {
        va_list arguments;
        va_start(arguments, flags);
        mode = va_arg(arguments, mode_t);
        va_end(arguments);
    }
    if ((flags & O_CREAT) == 0) return static_cast<int>(::syscall(SYS_openat, directory, path, flags, mode));
    return checked(SYS_openat, directory, path, flags, mode);
}

int ftruncate(int fd, off_t size) noexcept {
    return checked(SYS_ftruncate, fd, size);
}
int fsync(int fd) {
    return checked(SYS_fsync, fd);
}
int fdatasync(int fd) {
    return checked(SYS_fdatasync, fd);
}
int syncfs(int fd) noexcept {
    return checked(SYS_syncfs, fd);
}
int fchmod(int fd, mode_t mode) noexcept {
    return checked(SYS_fchmod, fd, mode);
}
int mkdirat(int directory, const char* path, mode_t mode) noexcept {
    return checked(SYS_mkdirat, directory, path, mode);
}
int unlinkat(int directory, const char* path, int flags) noexcept {
    return checked(SYS_unlinkat, directory, path, flags);
}
int symlinkat(const char* target, int directory, const char* path) noexcept {
    return checked(SYS_symlinkat, target, directory, path);
}
int renameat(int from_directory, const char* from, int to_directory, const char* to) noexcept {
    return checked(SYS_renameat2, from_directory, from, to_directory, to, 0);
}

}  // extern "C"
