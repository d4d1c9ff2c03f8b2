// What a pull answers: the results of its items, all together or group by group.
#include <utility>

#include "flow/transfer/pull_state.hpp"

namespace drawhitch::flow {

std::string_view name_of(FileState state) {
    switch (state) {
        case FileState::pulled:
            return "pulled";
        case FileState::kept:
            return "kept";
        case FileState::unsettled:
            return "unsettled";
        case FileState::changing:
            return "changing";
        case FileState::vanished:
            return "vanished";
        case FileState::skipped:
            return "skipped";
        case FileState::displaced:
            return "displaced";
        case FileState::unfinished:
            return "unfinished";
        case FileState::failed:
            return "failed";
    }
    return "failed";
}

std::vector<std::uint32_t> PullState::take_done_groups() {
    const std::lock_guard lock{mutex_};
    return std::exchange(done_groups_, {});
}

PullResult PullState::result_locked(std::size_t index) const {
    const PullJob& job = jobs_[index];
    const proto::FileEntry& source = job.item.source;
    const Verdict& verdict = verdicts_[index];
    return {verdict.state, source.size, source.mtime_ns, source.mode, job.root, job.sha256, verdict.why, verdict.code};
}

ItemResults PullState::results_of(const std::vector<std::uint32_t>& groups) const {
    const std::lock_guard lock{mutex_};
    ItemResults results;
    for (const std::uint32_t id : groups) {
        const Group& group = groups_.at(id);
        for (std::size_t i = group.first; i < group.first + group.count; ++i)
            results.emplace_back(i, result_locked(i));
    }
    return results;
}

PullOutcome PullState::outcome() {
    const std::lock_guard lock{mutex_};
    PullOutcome outcome{{}, tally_, stopped_};
    outcome.results.reserve(jobs_.size());
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
        if (!jobs_[i].settled) verdicts_[i] = {FileState::unfinished, Code::skipped, "the pull ended before it"};
        outcome.results.push_back(result_locked(i));
    }
    return outcome;
}

void PullState::reconnected() {
    const std::lock_guard lock{mutex_};
    ++tally_.reconnects;
}

void PullState::add_wire(const agent::Traffic& traffic) {
    const std::lock_guard lock{mutex_};
    add(tally_.wire, traffic);
}

}  // namespace drawhitch::flow
