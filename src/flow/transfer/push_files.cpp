#include "flow/transfer/push_files.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

#include "flow/transfer/push_state.hpp"
#include "flow/transfer/push_worker.hpp"

namespace drawhitch::flow {

ReadPiece pieces_of(const disk::Root& root) {
    return [&root](const std::string& path, std::uint64_t offset, std::size_t size) -> std::optional<std::string> {
        const auto fd = root.read_file(path);
        if (!fd) return std::nullopt;
        std::string raw(size, '\0');
        const auto count = pread_full(fd->get(), raw, static_cast<std::size_t>(offset), path);
        if (!count || *count != size) return std::nullopt;
        return raw;
    };
}

PushOutcome push_files(const Op& op, Links links, const ReadPiece& read, const std::vector<PushItem>& items,
                       const PushLimits& limits) {
    PushState state{op, items};
    const int count = std::max(1, limits.connections);
    std::atomic<int> alive{count};
    const auto work = [&](std::optional<Link> link) {
        PushWorker worker{state, read, links.dial, limits};
        const Status done = worker.run(op, std::move(link));
        if (!done && (--alive == 0 || !is_worth_reconnecting(done.error()))) state.stop(done.error());
    };
    std::vector<std::thread> others;
    for (int i = 1; i < count; ++i) {
        others.emplace_back(work, std::nullopt);
    }
    work(std::move(links.first));
    for (std::thread& other : others) {
        other.join();
    }
    return state.outcome();
}

}  // namespace drawhitch::flow
