// Finds which process holds SQLite's locks on a file, for the message "another drawhitch (pid N) holds the ledger".
#pragma once

#include <sys/types.h>
#include <optional>
#include <string>

namespace drawhitch::ledger {

// The process that may write the database now, if it is one of this machine. Asked from a short-lived child process:
// POSIX drops a process's locks on a file when it closes any descriptor of it, so this process must not open it again.
std::optional<pid_t> holder_of(const std::string& path);

}  // namespace drawhitch::ledger
