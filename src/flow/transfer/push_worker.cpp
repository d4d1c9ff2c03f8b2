#include "flow/transfer/push_worker.hpp"

#include <utility>

#include "base/text.hpp"
#include "core/proto/bundle.hpp"
#include "core/proto/limits.hpp"
#include "flow/transfer/limits.hpp"

namespace drawhitch::flow {

namespace {

// Raw bytes sent and not acknowledged: what a dead link costs at most, beside the credit.
constexpr std::uint64_t k_most_unacked = 16U << 20U;

}  // namespace

Status PushWorker::run(const Op& op, std::optional<Link> link) {
    return keep_linked(op, source_.dial, source_.limits.persistence, std::move(link), *this);
}

bool PushWorker::over() const {
    return state_.over();
}

bool PushWorker::unlinked(const agent::Traffic& traffic) {
    seat_.heard = 0;
    seat_.waits = false;
    if (!kept_) state_.add_wire(traffic);
    // Its helper may still have our bytes on their way: whatever is claimed from now on fences them, and nothing of its
    // work is anybody else's before that is known.
    if (!state_.over()) source_.fence.lost();
    return_all();
    fenced_by_.reset();
    return std::exchange(progressed_, false);
}

void PushWorker::relinked() {
    state_.reconnected();
}

Status PushWorker::serve(const Op& op, Link& link) {
    agent::Session& session = link.agent->session();
    session.on_heard([this](Instant at) { seat_.heard = at.time_since_epoch().count(); });
    session.on_held([this](Instant at) { seat_.heard = at.time_since_epoch().count(); });
    const Status served = serve_heard(op, link);
    session.on_heard({});
    session.on_held({});
    return served;
}

Status PushWorker::serve_heard(const Op& op, Link& link) {
    if (!link.claim) return Error{Code::internal, "a push over an unclaimed root"};
    if (const auto trip = link.agent->session().round_trip()) seat_.round_trip = trip->count();
    seat_.heard = op.clock.now().time_since_epoch().count();
    seat_.linked = true;
    while (!state_.over()) {
        seat_.waits = !pending_.empty();
        if (fenced_by_ && pending_.empty()) TRY(claim_again(op, link));
        std::optional<PushWork> work;
        if (!fenced_by_ && !seat_.reserve && unacked_ < k_most_unacked && pending_.size() < k_most_requests) {
            TRY_ASSIGN(work, state_.take(seat_));
        }
        if (work && source_.fence.outdated(*link.claim)) {
            state_.give_back(work->ticket, false);
            fenced_by_ = Error{Code::internal, "a push could not join its own fence"};
            continue;
        }
        if (work) {
            seat_.waits = true;
            TRY(start(op, link, std::move(*work)));
            TRY(collect(op, link));
            continue;
        }
        if (pending_.empty()) {
            TRY(idle(op, link));
            continue;
        }
        TRY_ASSIGN(const agent::Incoming incoming, link.agent->session().receive(op));
        TRY(handle(op, link, incoming));
    }
    // What is under way then are last answers to what was acknowledged before.
    kept_ = state_.keep(link);
    for (const auto& [request, pending] : pending_)
        link.agent->session().forget(request);
    return ok();
}

// Others have all the work; one of them may have gone silent with it.
Status PushWorker::idle(const Op& op, Link& link) {
    if (seat_.reserve) {
        state_.wait_over(k_reserve_looks);
    } else {
        state_.wait();
    }
    TRY(link.agent->session().keep_alive(op));
    const Instant now = op.clock.now();
    seat_.heard = now.time_since_epoch().count();
    TRY(op.check());
    if (seat_.reserve || !state_.take_from_silent(seat_, now, source_.fence)) return ok();
    fenced_by_ = Error{Code::internal, "a push could not fence its silent connection"};
    return ok();
}

// Another connection of this push raised the epoch; this one joins it. Anybody else's fence is final.
Status PushWorker::claim_again(const Op& op, Link& link) {
    const Error fenced = *std::exchange(fenced_by_, std::nullopt);
    TRY_ASSIGN(const auto claim, source_.fence.claim_again(op, *link.claim, [&](const agent::ClaimOptions& wish) {
        return link.agent->claim(op, link.root, wish);
    }));
    if (!claim) return fenced;
    link.claim = *claim;
    return ok();
}

// Whatever has come already: sending fills the inbox as a side effect.
Status PushWorker::collect(const Op& op, Link& link) {
    while (const auto incoming = link.agent->session().poll()) {
        TRY(handle(op, link, *incoming));
    }
    return ok();
}

Status PushWorker::start(const Op& op, Link& link, PushWork work) {
    Pending pending{};
    pending.work = std::move(work);
    switch (pending.work.kind) {
        case PushWork::Kind::bundle:
            return start_bundle(op, link, std::move(pending));
        case PushWork::Kind::probe:
            return start_probe(link, std::move(pending));
        case PushWork::Kind::span:
            return start_span(op, link, std::move(pending));
        case PushWork::Kind::commit:
            return start_commit(link, std::move(pending));
        case PushWork::Kind::find:
            return start_find(link, std::move(pending));
    }
    return ok();
}

Status PushWorker::start_probe(Link& link, Pending&& pending) {
    proto::Hash hash{};
    hash.root = link.root;
    hash.path = std::string{proto::k_parts_dir} + "/" + state_.part_name(pending.work.files.front());
    hash.leaves = true;
    hash.rehash = true;
    pending_.emplace(link.agent->session().submit(hash), std::move(pending));
    return ok();
}

Status PushWorker::start_span(const Op& op, Link& link, Pending&& pending) {
    const std::size_t file = pending.work.files.front();
    const PushItem& item = state_.item(file);
    proto::Write write{};
    write.root = link.root;
    write.epoch = link.claim->epoch;
    write.part = state_.part_name(file);
    write.size = item.size;
    const std::uint32_t request = link.agent->session().submit(write);
    const std::vector<std::uint32_t> chunks = pending.work.chunks;
    pending.owed.insert(chunks.begin(), chunks.end());
    unacked_ += pending.work.raw;
    pending_.emplace(request, std::move(pending));
    for (const std::uint32_t chunk : chunks) {
        const auto raw =
            source_.read(item.source, std::uint64_t{chunk} * proto::k_chunk, proto::leaf_size(item.size, chunk));
        if (!raw || proto::leaf_digest(*raw) != item.leaves[chunk]) {
            state_.changed_here(file);
            break;
        }
        TRY(link.agent->session().send_chunk(op, request,
                                             codec_.seal(chunk, *raw, {link.agent->codecs(), source_.limits.level})));
        TRY(collect(op, link));
        if (!pending_.contains(request)) return ok();  // refused: the helper drops the rest
    }
    link.agent->session().follow_up(request, proto::WriteEnd{});
    return ok();
}

Status PushWorker::send_block(const Op& op, Link& link, std::uint32_t request, std::uint32_t index,
                              std::string_view raw) {
    return link.agent->session().send_chunk(op, request,
                                            codec_.seal(index, raw, {link.agent->codecs(), source_.limits.level}));
}

Status PushWorker::start_bundle(const Op& op, Link& link, Pending&& fresh) {
    proto::WriteBundle write{};
    write.root = link.root;
    write.epoch = link.claim->epoch;
    write.replace = true;  // an earlier attempt may have got some of them across
    const std::uint32_t request = link.agent->session().submit(write);
    unacked_ += fresh.work.raw;
    Pending& pending = pending_.emplace(request, std::move(fresh)).first->second;
    std::string block;
    pending.blocks.emplace_back();
    for (std::uint32_t i = 0; i < pending.work.files.size(); ++i) {
        const std::size_t file = pending.work.files[i];
        const PushItem& item = state_.item(file);
        auto content = source_.read(item.source, 0, static_cast<std::size_t>(item.size));
        if (!content || proto::content_digest(*content) != item.root) {
            state_.changed_here(file);
            continue;
        }
        const proto::NewFile record{i, item.target, item.mode, item.mtime_ns, item.root, std::move(*content)};
        const std::string encoded = proto::encode(record);
        if (block.size() + encoded.size() > proto::k_chunk) {
            TRY(send_block(op, link, request, static_cast<std::uint32_t>(pending.blocks.size() - 1), block));
            block.clear();
            pending.blocks.emplace_back();
        }
        block += encoded;
        pending.owed.insert(i);
        pending.blocks.back().push_back(i);
    }
    if (!block.empty()) {
        TRY(send_block(op, link, request, static_cast<std::uint32_t>(pending.blocks.size() - 1), block));
    }
    link.agent->session().follow_up(request, proto::WriteEnd{});
    return ok();
}

Status PushWorker::start_commit(Link& link, Pending&& pending) {
    const std::size_t file = pending.work.files.front();
    const PushItem& item = state_.item(file);
    proto::Commit commit{};
    commit.root = link.root;
    commit.epoch = link.claim->epoch;
    commit.part = state_.part_name(file);
    commit.path = item.target;
    commit.size = item.size;
    commit.digest = item.root;
    commit.mode = item.mode;
    commit.mtime_ns = item.mtime_ns;
    commit.make_parents = true;
    commit.sync = source_.limits.sync;
    pending_.emplace(link.agent->session().submit(commit), std::move(pending));
    return ok();
}

Status PushWorker::start_find(Link& link, Pending&& pending) {
    proto::Hash hash{};
    hash.root = link.root;
    hash.path = state_.item(pending.work.files.front()).target;
    hash.rehash = true;
    pending_.emplace(link.agent->session().submit(hash), std::move(pending));
    return ok();
}

Status PushWorker::handle(const Op& op, Link& link, const agent::Incoming& incoming) {
    seat_.heard = op.clock.now().time_since_epoch().count();
    const agent::Session& session = link.agent->session();
    if (const auto trip = session.round_trip()) seat_.round_trip = trip->count();
    seat_.held_back = session.push_held_back();
    const auto found = pending_.find(incoming.request);
    if (found == pending_.end()) return broken_helper("answered a request nobody made");
    Pending& pending = found->second;
    progressed_ = true;
    if (incoming.type == proto::MessageType::progress) return ok();
    if (incoming.type == proto::MessageType::write_ack) return on_ack(pending, incoming);
    if (incoming.type == proto::MessageType::bundle_ack) return on_bundle_ack(pending, incoming);
    if (incoming.type == proto::MessageType::leaves) {
        TRY_ASSIGN(const auto some, proto::decode<proto::Leaves>(incoming.payload));
        // A part may be longer than the file it is to become; what lies beyond is not looked at.
        if (pending.work.kind != PushWork::Kind::probe) return broken_helper("sent leaves nobody asked for");
        const std::size_t most = state_.item(pending.work.files.front()).leaves.size();
        for (const proto::Digest& leaf : some.leaves) {
            if (pending.leaves.size() < most) pending.leaves.push_back(leaf);
        }
        return ok();
    }
    TRY(on_last(pending, incoming));
    if (pending.work.kind == PushWork::Kind::span || pending.work.kind == PushWork::Kind::bundle) {
        unacked_ -= pending.work.raw;
    }
    state_.done(pending.work.ticket);
    pending_.erase(found);
    return ok();
}

Status PushWorker::on_ack(Pending& pending, const agent::Incoming& incoming) {
    TRY_ASSIGN(const auto ack, proto::decode<proto::WriteAck>(incoming.payload));
    if (pending.work.kind != PushWork::Kind::span || pending.owed.erase(ack.chunk) == 0) {
        return broken_helper("acknowledged what it was not sent");
    }
    if (ack.reason == proto::Reason::none) {
        seat_.moved += proto::leaf_size(state_.item(pending.work.files.front()).size, ack.chunk);
        state_.chunk_acked(pending.work.ticket, ack.chunk);
    } else {
        state_.chunk_wrong(pending.work.ticket, ack.chunk);
    }
    return ok();
}

Status PushWorker::on_bundle_ack(Pending& pending, const agent::Incoming& incoming) {
    TRY_ASSIGN(const auto ack, proto::decode<proto::BundleAck>(incoming.payload));
    if (pending.work.kind != PushWork::Kind::bundle || ack.block >= pending.blocks.size()) {
        return broken_helper("acknowledged what it was not sent");
    }
    std::map<std::uint32_t, proto::ItemFailure> failures;
    for (const proto::ItemFailure& failure : ack.failures) {
        failures[failure.index] = failure;
    }
    for (const std::size_t index : std::exchange(pending.blocks[ack.block], {})) {
        pending.owed.erase(index);
        const std::size_t file = pending.work.files[index];
        const auto failure = failures.find(static_cast<std::uint32_t>(index));
        const bool damaged = ack.reason == proto::Reason::integrity ||
                             (failure != failures.end() && failure->second.reason == proto::Reason::integrity);
        if (damaged) {
            state_.small_wrong(pending.work.ticket, file);
        } else if (failure != failures.end()) {
            proto::Refusal refusal{};
            refusal.reason = failure->second.reason;
            refusal.error = failure->second.error;
            refusal.path = state_.item(file).target;
            return proto::to_error(refusal, "write");
        } else {
            seat_.moved += state_.item(file).size;
            state_.small_written(file);
        }
    }
    return ok();
}

Status PushWorker::on_last(Pending& pending, const agent::Incoming& incoming) {
    if (incoming.type == proto::MessageType::refused) {
        TRY_ASSIGN(const auto refusal, proto::decode<proto::Refusal>(incoming.payload));
        return on_refusal(pending, refusal);
    }
    const std::size_t file = pending.work.files.front();
    switch (pending.work.kind) {
        case PushWork::Kind::probe:
            TRY(proto::decode<proto::Hashed>(incoming.payload));
            state_.probed(pending.work.ticket, pending.leaves);
            return ok();
        case PushWork::Kind::commit:
            TRY(proto::decode<proto::Committed>(incoming.payload));
            state_.committed(file);
            return ok();
        case PushWork::Kind::find: {
            TRY_ASSIGN(const auto hashed, proto::decode<proto::Hashed>(incoming.payload));
            if (hashed.entry.root == state_.item(file).root) {
                state_.committed(file);
            } else {
                state_.commit_wrong(pending.work.ticket);
            }
            return ok();
        }
        case PushWork::Kind::span:
        case PushWork::Kind::bundle:
            TRY(proto::decode<proto::Written>(incoming.payload));
            break;
    }
    // A file that changed here ends its request early: what was not sent is owed by nobody.
    if (pending.work.kind == PushWork::Kind::bundle && !pending.owed.empty())
        return broken_helper("left files unanswered");
    return ok();
}

Status PushWorker::on_refusal(Pending& pending, const proto::Refusal& refusal) {
    const std::uint64_t ticket = pending.work.ticket;
    if (refusal.reason == proto::Reason::fenced) {
        fenced_by_ = proto::to_error(refusal, "write to the box");
        state_.give_back(ticket);
        return ok();
    }
    const bool missing = refusal.reason == proto::Reason::not_found;
    if (pending.work.kind == PushWork::Kind::probe && missing) {
        state_.probed(ticket, {});
        return ok();
    }
    if (pending.work.kind == PushWork::Kind::commit && missing) {
        state_.part_gone(ticket);
        return ok();
    }
    // The part is wrong as a whole, or vanished (cleaned up behind us): find out what is there and send the rest.
    const bool differs = refusal.reason == proto::Reason::integrity || refusal.reason == proto::Reason::changed;
    const bool again =
        (pending.work.kind == PushWork::Kind::commit && differs) || pending.work.kind == PushWork::Kind::find;
    if (again) {
        state_.commit_wrong(ticket);
        return ok();
    }
    return proto::to_error(refusal, "write to the box");
}

void PushWorker::return_all() {
    for (auto& [request, pending] : pending_)
        state_.give_back(pending.work.ticket);
    pending_.clear();
    unacked_ = 0;
}

}  // namespace drawhitch::flow
