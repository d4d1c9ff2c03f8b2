#include "flow/transfer/push_files.hpp"

#include "core/proto/limits.hpp"
#include "flow/transfer/crew.hpp"
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

namespace {

// Whoever goes on needs a connection whose claim is in force.
Status keep_one(const Op& op, const Dial& dial, Fence& fence, PushOutcome& outcome) {
    if (outcome.link) {
        Link& link = *outcome.link;
        TRY_ASSIGN(const auto claim, fence.claim_again(op, *link.claim, [&](const agent::ClaimOptions& wish) {
            return link.agent->claim(op, link.root, wish);
        }));
        if (claim) link.claim = *claim;
        return ok();
    }
    TRY_ASSIGN(outcome.link, dial(op));
    ++outcome.tally.reconnects;
    return ok();
}

}  // namespace

PushOutcome push_files(const Op& op, Links links, Fence& fence, const ReadPiece& read,
                       const std::vector<PushItem>& items, const PushLimits& limits) {
    if (items.empty() && links.first) {
        PushOutcome none{};
        none.link = std::move(links.first);
        return none;
    }
    PushState state{op, items};
    const PushSource source{read, links.dial, fence, limits};
    const Crew::Serve serve = [&](const Op& theirs, std::optional<Link> link, Seat& seat) {
        return PushWorker{state, source, seat}.run(theirs, std::move(link));
    };
    Crew{state, serve, {plan::Way::push, limits.connections, limits.first}}.work(op, std::move(links.first));
    PushOutcome outcome = state.outcome();
    if (const Status linked = outcome.stopped ? ok() : keep_one(op, links.dial, fence, outcome); !linked)
        outcome.stopped = linked.error();
    return outcome;
}

Result<std::uint64_t> held_on_box(const Op& op, agent::Agent& agent, const std::string& directory,
                                  const std::vector<PushItem>& items) {
    std::uint64_t held = 0;
    const auto root = agent.open_root(op, directory, false);
    const bool none = !root && (root.error().code == Code::not_found || root.error().code == Code::remote_failed);
    if (none) return held;
    if (!root) return root.error();
    const std::vector<std::string> parts = part_names(items);
    for (std::size_t n = 0; n < items.size(); ++n) {
        const PushItem& item = items[n];
        if (parts[n].empty()) continue;
        proto::Hash request{};
        request.root = *root;
        request.path = std::string{proto::k_parts_dir} + "/" + parts[n];
        request.leaves = true;
        request.rehash = true;
        const auto part = agent.hash(op, request);
        if (!part && part.error().code == Code::not_found) continue;
        if (!part) return part.error();
        for (std::size_t i = 0; i < item.leaves.size() && i < part->leaves.size(); ++i)
            if (part->leaves[i] == item.leaves[i]) held += proto::leaf_size(item.size, i);
    }
    return held;
}

}  // namespace drawhitch::flow
