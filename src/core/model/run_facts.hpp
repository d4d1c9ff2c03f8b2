// RunFacts: what one poll saw of a box and its runs. Values only: core/parse makes them from the probe's text,
// core/judge decides what they mean. Anything the probe did not tell is absent, and absent never means zero or fine.
// All times are seconds of the box's own clock; only differences of them mean anything here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/progress.hpp"

namespace drawhitch::model {

// A process as /proc tells it.
struct ProcessFacts {
    std::int64_t pid{0};
    char state{'?'};  // R, S, D, Z …
    std::int64_t parent{0};
    std::int64_t group{0};
    std::int64_t session{0};
    std::uint64_t cpu_ticks{0};
    std::uint64_t start_ticks{0};
};

// Written by the wrapper when the job began: start.json.
struct StartRecord {
    std::int64_t attempt{0};
    std::string token{};
    std::int64_t pid{0};
    std::int64_t pgid{0};
    std::uint64_t start_ticks{0};
    std::string boot_id{};
    std::uint64_t pid1_ticks{0};  // 0 = unknown; another value later means that a container was restarted
    std::int64_t started{0};
    std::optional<std::int64_t> oom_kills{};
    std::int64_t log_offset{0};  // where this attempt's part of the log begins
    std::int64_t wrapper_pid{0};
    std::uint64_t wrapper_ticks{0};
};

// Written by the wrapper when the job ended: exit.json. Either `code` or `signal` is set.
struct ExitRecord {
    std::int64_t attempt{0};
    std::string token{};
    std::optional<int> code{};
    std::string signal{};  // "KILL"
    bool sure{true};       // false: the shell could not tell a signal from an exit code above 128
    std::string stage{};   // "job", or what failed before it: "work", "environment", "activate", "record", "stopped"
    std::string script{};  // "cr": a script that the command names has an interpreter ending in a carriage return
    std::int64_t started{0};
    std::int64_t ended{0};
    std::string boot_id{};
    std::optional<std::int64_t> oom_before{};
    std::optional<std::int64_t> oom_after{};
    std::vector<std::string> caught{};  // signals the wrapper itself received, in order
};

// What the files of one roster pattern look like.
struct ArtifactFacts {
    bool known{false};  // false: the box could not tell; the numbers mean nothing then
    std::uint64_t count{0};
    std::uint64_t bytes{0};
    std::uint64_t newer{0};  // how many were changed since this attempt's start
    std::int64_t newest{0};  // mtime of the newest
};

struct BoxState {
    std::optional<std::int64_t> now{};
    std::string boot_id{};
    std::optional<double> uptime{};
    std::optional<double> load{};
    std::uint64_t pid1_ticks{0};
    std::optional<std::uint64_t> bytes_free{};
    std::optional<std::uint64_t> bytes_total{};
    std::optional<std::uint64_t> inodes_free{};
    std::optional<std::uint64_t> inodes_total{};
};

enum class RunDirectory {
    unknown,  // the probe did not get that far
    no_root,  // not even the project's root is there: an unmounted disk, or another machine
    absent,
    present,
};

struct RunFacts {
    std::string name{};
    RunDirectory directory{RunDirectory::unknown};
    std::optional<std::int64_t> claimed{};
    bool attempted{false};  // a wrapper took the start claim of some attempt
    std::optional<StartRecord> start{};
    std::optional<ExitRecord> exit{};
    bool ended_before{false};              // a record of the end was there before the job's process was looked at
    bool unreadable_record{false};         // start.json or exit.json is there and makes no sense
    std::optional<ProcessFacts> at_pid{};  // whatever has the recorded pid now, ours or not
    std::optional<ProcessFacts> at_wrapper_pid{};  // the same for the wrapper
    std::string wrapper_parent{};                  // the name of the wrapper's parent process
    bool processes_known{false};
    std::vector<ProcessFacts> members{};   // of the recorded group or session, zombies included
    std::vector<std::int64_t> carriers{};  // pids that carry the run's token in their environment
    std::optional<std::int64_t> oom_kills{};
    std::optional<std::int64_t> log_size{};
    std::optional<std::int64_t> log_mtime{};
    std::int64_t log_from{0};
    std::string log_bytes{};                 // [log_from, log_from + size) of the log
    Progress progress{};                     // read from this attempt's part of log_bytes
    std::vector<ArtifactFacts> artifacts{};  // one for each pattern asked for, in that order
};

struct PollFacts {
    bool complete{false};  // the probe ran to its end
    BoxState box{};
    std::vector<RunFacts> runs{};
};

}  // namespace drawhitch::model
