// SyscallFaults: makes the n-th writing system call of this process fail, or kills the process there. The test program
// defines pwrite, write, fsync and their like itself, so the code under test needs no seam for it.
#pragma once

#include <cstddef>

namespace drawhitch::support {

// Counted calls: open for writing, write, pwrite, ftruncate, fsync, fdatasync, syncfs, renameat, mkdirat, fchmod,
// unlinkat, symlinkat. One plan a process, armed and read by one thread; calls of all threads count.
struct SyscallFaults {
    // Before the n-th counted call (from 1) the process gets SIGKILL; where that call writes bytes, half of them are
    // written first.
    static void kill_at(std::size_t n);
    // The n-th counted call, and with `persistent` all later ones, fail with this errno.
    static void fail_at(std::size_t n, int error_number, bool persistent = false);
    // Counts only.
    static void count();
    static void disarm();
    // Counted since armed.
    static std::size_t calls();
};

}  // namespace drawhitch::support
