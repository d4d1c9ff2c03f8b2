// Run: one launched job on a box, and the verdicts about it. Values only.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "core/model/roster.hpp"

namespace drawhitch::model {

// What was launched: frozen before the start, never edited. Kept in the ledger and as run.json on the box.
struct RunSpec {
    std::string name{};                  // plain name, unique within the lease
    std::vector<std::string> command{};  // argv as the user gave it after "--"
    std::string activate{};              // the environment's activation line, visible; may be empty
    std::string code_hash{};             // release this run's work tree was copied from
    std::string run_dir{};               // absolute on the box
    std::string work_dir{};              // absolute on the box
    std::string gpus{};                  // CUDA_VISIBLE_DEVICES value; empty: untouched
    std::string driver{};                // the detach driver that started it: "setsid", "tmux"
    Roster roster{};
    std::map<std::string, std::string> env_shown{};   // allow-listed names and values
    std::map<std::string, std::string> env_hashed{};  // other names with salted hashes of their values
    bool scratch{false};                              // nobody needs its outputs
    std::int64_t started_by_pid{0};
};

// Identity of the running process group, as the wrapper recorded it: pid alone may be recycled.
struct RunIdentity {
    std::int64_t pid{0};
    std::int64_t pgid{0};
    std::uint64_t start_ticks{0};  // field 22 of /proc/PID/stat
    std::string boot_id{};
};

enum class VerdictKind {
    queued,
    starting,
    running,
    stalled,
    done,
    done_but_up,
    failed,
    artifacts_missing,
    preempted,
    lost_at_reboot,
    unreachable,
    unknown,
};

// "RUNNING", "DONE-BUT-UP" …, as users and scripts see them.
std::string_view name_of(VerdictKind kind);
std::optional<VerdictKind> verdict_kind(std::string_view name);
// done, failed, artifacts_missing, preempted, lost_at_reboot: nothing of the run lives any more.
bool is_terminal(VerdictKind kind);

// What is true about a run, and why we say so.
struct Verdict {
    VerdictKind kind{VerdictKind::unknown};
    std::optional<int> exit_code{};
    std::string signal{};  // "KILL"
    std::string cause{};   // short, e.g. "oom", "rebooted", "killed by TERM"
    std::optional<WallTime> since{};
    std::string progress{};               // "step 1200/3000, loss 1.93"
    std::vector<std::string> evidence{};  // one fact a line
};

// One row of the ledger.
struct Run {
    std::int64_t id{0};
    std::int64_t lease{0};
    std::int64_t attempt{1};
    RunSpec spec{};
    RunIdentity identity{};
    Verdict verdict{};  // the last one recorded
    WallTime created{};
    WallTime verdict_at{};
    bool confirmed{false};  // seen alive (or ended) from a second connection
};

}  // namespace drawhitch::model
