#include "flow/transfer/pull_files.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "flow/transfer/crew.hpp"
#include "flow/transfer/group_watch.hpp"
#include "flow/transfer/pull_finisher.hpp"
#include "flow/transfer/pull_state.hpp"
#include "flow/transfer/pull_worker.hpp"
#include "io/disk/space.hpp"

namespace drawhitch::flow {

namespace {

// Journals, directories and what others write meanwhile.
constexpr std::uint64_t k_spare_for_parts = 4U << 20U;
constexpr std::uint64_t k_spare_part_inodes = 8;

Status check_room(const disk::Landing& landing, const std::vector<PullItem>& items) {
    const std::string& where = landing.destination().path();
    TRY_ASSIGN(const disk::Space space, disk::space_at(where));
    std::uint64_t need = k_spare_for_parts;
    for (const PullItem& item : items) {
        // A sparse file arrives sparse.
        need += item.source.allocated == 0 ? item.source.size : std::min(item.source.size, item.source.allocated);
    }
    need -= std::min(need, landing.held_bytes());
    if (space.read_only) return Error{Code::read_only, "cannot pull into " + printable(where) + ": it is read-only"};
    if (need > space.free_bytes) {
        return Error{Code::no_space, "cannot pull into " + printable(where) + ": " + human_bytes(need) +
                                         " are needed and " + human_bytes(space.free_bytes) +
                                         " are free; nothing was fetched"}
            .because("it lies on " + printable(space.mount))
            .then("df -h " + shell_quote(space.mount));
    }
    const std::uint64_t inodes = items.size() + k_spare_part_inodes;
    if (space.counts_inodes && inodes > space.free_inodes) {
        return Error{Code::no_inodes, "cannot pull into " + printable(where) + ": " + std::to_string(inodes) +
                                          " inodes are needed and " + std::to_string(space.free_inodes) +
                                          " are free; nothing was fetched"}
            .because("bytes are not the trouble: " + printable(space.mount) + " has no room for so many files")
            .then("df -i " + shell_quote(space.mount));
    }
    return ok();
}

}  // namespace

PullOutcome pull_files(const Op& op, Links links, disk::Landing& landing, std::vector<PullItem> items,
                       const PullLimits& limits, const GroupsDone& done) {
    const Status room = check_room(landing, items);
    PullState state{op, landing, std::move(items)};
    if (!room) {
        state.stop(room.error());
        return state.outcome();
    }
    {
        PullFinisher finisher{state, landing};
        const PullSource source{finisher, links.dial, limits};
        const Crew::Serve serve = [&](const Op& theirs, std::optional<Link> link, Seat& seat) {
            return PullWorker{state, source, seat}.run(theirs, std::move(link));
        };
        {
            const GroupWatch watch{op.clock, state, finisher, done};
            Crew{state, serve, {plan::Way::pull, limits.connections, limits.first}}.work(op, std::move(links.first));
        }
        finisher.finish();
    }
    return state.outcome();
}

}  // namespace drawhitch::flow
