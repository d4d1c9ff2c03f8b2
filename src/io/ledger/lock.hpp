// Locks between drawhitch processes: one per lease, one push and one watcher per lease, one per pull target. They are
// flock locks on files of their own under the state directory, so they vanish with their process, however it ends.
#pragma once

#include <cstdint>
#include <string>

#include "base/fd.hpp"
#include "base/op.hpp"
#include "base/result.hpp"

namespace drawhitch::ledger {

enum class Wait {
    no,            // fail at once
    for_deadline,  // until the Op's deadline or cancel
};

// A held lock; released when it goes away. Movable.
class FileLock {
  public:
    // For flows that change a box: run, stop-run, down. Code::locked names the holder ("pid 4711, drawhitch run").
    static Result<FileLock> lease(const Op& op, const std::string& state_dir, std::int64_t lease,
                                  const std::string& doing, Wait wait = Wait::no);
    // For the one push of a lease. A run may start meanwhile: it keeps the release it found.
    static Result<FileLock> push(const Op& op, const std::string& state_dir, std::int64_t lease,
                                 const std::string& doing, Wait wait = Wait::no);
    // For the one watcher of a lease.
    static Result<FileLock> watcher(const Op& op, const std::string& state_dir, std::int64_t lease,
                                    const std::string& doing, Wait wait = Wait::no);
    // For the directory a pull lands in. It must exist: its identity is taken, not its spelling, so two names of one
    // directory exclude each other.
    static Result<FileLock> pull_target(const Op& op, const std::string& state_dir, const std::string& directory,
                                        const std::string& doing, Wait wait = Wait::no);

    FileLock(FileLock&&) noexcept = default;
    FileLock& operator=(FileLock&&) noexcept = default;

  private:
    explicit FileLock(UniqueFd fd) : fd_(std::move(fd)) {}
    static Result<FileLock> take(const Op& op, const std::string& state_dir, const std::string& name,
                                 const std::string& doing, Wait wait);
    UniqueFd fd_;
};

}  // namespace drawhitch::ledger
