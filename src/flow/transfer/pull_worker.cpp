#include "flow/transfer/pull_worker.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "core/proto/limits.hpp"
#include "flow/transfer/limits.hpp"

namespace drawhitch::flow {

namespace {

// Raw bytes asked for ahead: twice what the window holds once it is decoded, so that the helper never waits for a
// request. More would be a part of the queue that this connection keeps from faster ones.
constexpr std::uint64_t k_least_ahead = 2U << 20U;
constexpr std::uint64_t k_most_ahead = 16U << 20U;

template <class Message>
Result<Message> decode(const agent::Incoming& incoming) {
    return proto::decode<Message>(incoming.payload);
}

}  // namespace

Status PullWorker::run(const Op& op, std::optional<Link> link) {
    return keep_linked(op, source_.dial, source_.limits.persistence, std::move(link), *this);
}

bool PullWorker::over() const {
    return state_.over();
}

bool PullWorker::unlinked(const agent::Traffic& traffic) {
    seat_.heard = 0;
    seat_.waits = false;
    state_.add_wire(traffic);
    return_all();
    return std::exchange(progressed_, false);
}

void PullWorker::relinked() {
    state_.reconnected();
}

Status PullWorker::serve(const Op& op, Link& link) {
    agent::Session& session = link.agent->session();
    session.on_held([this](Instant at) { seat_.heard = at.time_since_epoch().count(); });
    const Status served = serve_heard(op, link);
    session.on_held({});
    return served;
}

Status PullWorker::serve_heard(const Op& op, Link& link) {
    agent::Session& session = link.agent->session();
    window_ = {};
    granted_window_ = 0;
    if (const auto trip = session.round_trip()) seat_.round_trip = trip->count();
    seat_.heard = op.clock.now().time_since_epoch().count();
    seat_.linked = true;
    while (!state_.over()) {
        if (!seat_.reserve) TRY(fill(op, link));
        seat_.waits = !pending_.empty();
        if (pending_.empty()) {
            TRY(wait_for_work(op, link));
            continue;
        }
        TRY_ASSIGN(agent::Incoming incoming, session.receive(op));
        came(op, link, incoming);
        TRY(handle(op, link, std::move(incoming)));
        source_.finisher.add_complete();
    }
    return ok();
}

// Others, or the finisher, may still bring work; meanwhile the helper must hear from us.
Status PullWorker::wait_for_work(const Op& op, Link& link) {
    window_.paused();
    if (seat_.reserve) {
        state_.wait_over(k_reserve_looks);
    } else {
        state_.wait();
    }
    TRY(link.agent->session().keep_alive(op));
    seat_.heard = op.clock.now().time_since_epoch().count();
    return op.check();
}

// Learns from each arrival what this connection's path holds, and lets the helper have that much under way.
void PullWorker::came(const Op& op, Link& link, const agent::Incoming& incoming) {
    agent::Session& session = link.agent->session();
    const std::int64_t now = op.clock.now().time_since_epoch().count();
    seat_.heard = now;
    if (const auto trip = session.round_trip()) {
        seat_.round_trip = trip->count();
        window_.round_trip(trip->count());
    }
    if (incoming.type != proto::MessageType::data) return;
    const std::uint64_t bytes = incoming.payload.size();
    const std::int64_t queued = session.path_round_trip().value_or(std::chrono::nanoseconds{0}).count();
    window_.arrived(now, bytes);
    window_.queued_round_trip(queued);
    seat_.held_back = window_.held_back();
    seat_.moved += bytes;
    packed_come_ += bytes;
    const std::uint64_t wanted = window_.window();
    if (wanted > granted_window_ + granted_window_ / 8 || wanted + granted_window_ / 8 < granted_window_) {
        granted_window_ = wanted;
        session.set_pull_window(wanted);
    }
}

// Raw bytes for each byte that came.
double PullWorker::grows() const {
    return packed_come_ == 0 ? 1.0 : static_cast<double>(raw_come_) / static_cast<double>(packed_come_);
}

// What the helper may pack by, as the link stands now; a level that the caller fixed stays.
plan::Packing PullWorker::packing(const Link& link) const {
    const proto::CodecSet codecs = link.agent->codecs();
    if (source_.limits.level != 0) return {codecs, source_.limits.level};
    return plan::packing_for(
        {window_.rate(), grows(), seat_.round_trip, link.agent->hello().cores, state_.connections(), codecs});
}

std::uint64_t PullWorker::ahead() const {
    const double wanted = 2.0 * static_cast<double>(window_.window()) * std::clamp(grows(), 1.0, 8.0);
    return std::clamp(static_cast<std::uint64_t>(wanted), k_least_ahead, k_most_ahead);
}

Status PullWorker::fill(const Op& op, Link& link) {
    while (pending_raw_ < ahead() && pending_.size() < k_most_requests) {
        TRY_ASSIGN(auto work, state_.take(op, pending_.empty()));
        source_.finisher.add_complete();
        if (!work) return ok();
        submit(link, std::move(*work));
    }
    return ok();
}

void PullWorker::submit(Link& link, PullWork work) {
    agent::Session& session = link.agent->session();
    Pending pending{};
    pending.work = std::move(work);
    pending_raw_ += pending.work.raw;
    if (pending.work.kind == PullWork::Kind::bundle) return submit_bundle(link, pending);
    const PullItem item = state_.item(pending.work.jobs.front());
    std::uint32_t request = 0;
    switch (pending.work.kind) {
        case PullWork::Kind::bundle:
            break;
        case PullWork::Kind::span: {
            proto::Read read{};
            read.root = link.root;
            read.path = item.source.path;
            read.fence = item.source.fence();
            read.growing = item.growing;
            read.ranges = {{pending.work.first, pending.work.count}};
            const plan::Packing chosen = packing(link);
            read.codecs = chosen.codecs;
            read.level = chosen.level;
            read.base = name_base(link, pending);
            for (std::uint32_t i = 0; i < pending.work.count; ++i) {
                pending.owed.insert(pending.work.first + i);
            }
            request = session.submit(read);
            break;
        }
        case PullWork::Kind::compare:
        case PullWork::Kind::certify: {
            proto::Hash hash{};
            hash.root = link.root;
            hash.path = item.source.path;
            hash.fence = item.source.fence();
            hash.leaves = pending.work.kind == PullWork::Kind::compare;
            hash.rehash = pending.work.kind == PullWork::Kind::certify;
            request = session.submit(hash);
            break;
        }
        case PullWork::Kind::restat: {
            proto::Stat stat{};
            stat.root = link.root;
            stat.paths = {item.source.path};
            request = session.submit(stat);
            break;
        }
    }
    pending_.emplace(request, std::move(pending));
}

// The base of a span, if it has one and the helper knows what that is: with the leaves of what lies here.
std::optional<proto::BaseFile> PullWorker::name_base(const Link& link, Pending& pending) const {
    if ((link.agent->hello().capabilities & proto::k_cap_base) == 0) return std::nullopt;
    auto base = state_.base_of(pending.work.jobs.front());
    if (!base) return std::nullopt;
    proto::BaseFile named{base->named().source, base->named().root, {}};
    bool any = false;
    for (std::uint32_t i = 0; i < pending.work.count; ++i) {
        const std::string bytes = base->chunk(pending.work.first + i);
        named.leaves.push_back(bytes.empty() ? proto::Digest{} : proto::leaf_digest(bytes));
        any = any || !bytes.empty();
    }
    if (!any) return std::nullopt;
    pending.base = std::move(base);
    return named;
}

void PullWorker::submit_bundle(Link& link, Pending& pending) {
    proto::ReadBundle read{};
    read.root = link.root;
    const plan::Packing chosen = packing(link);
    read.codecs = chosen.codecs;
    read.level = chosen.level;
    for (std::uint32_t i = 0; i < pending.work.jobs.size(); ++i) {
        const std::size_t job = pending.work.jobs[i];
        const PullItem item = state_.item(job);
        read.items.push_back({item.source.path, item.source.fence()});
        pending.generations.push_back(state_.generation(job));
        pending.owed.insert(i);
    }
    const std::uint32_t request = link.agent->session().submit(read);
    pending_.emplace(request, std::move(pending));
}

Status PullWorker::handle(const Op& op, Link& link, agent::Incoming&& incoming) {
    const auto found = pending_.find(incoming.request);
    if (found == pending_.end()) return broken_helper("answered a request nobody made");
    Pending& pending = found->second;
    if (incoming.type == proto::MessageType::data) return on_data(op, link, pending, incoming.payload);
    if (incoming.type == proto::MessageType::progress) return ok();
    if (incoming.type == proto::MessageType::leaves) return on_answer(pending, incoming);
    // Anything else is the request's last answer.
    Status done = ok();
    if (incoming.type == proto::MessageType::refused) {
        TRY_ASSIGN(const auto refusal, decode<proto::Refusal>(incoming));
        done = on_refusal(pending, refusal);
    } else {
        done = on_answer(pending, incoming);
    }
    if (!done) return done;
    state_.done(pending.work.ticket);
    pending_raw_ -= pending.work.raw;
    pending_.erase(found);
    return ok();
}

Status PullWorker::on_data(const Op& op, Link& link, Pending& pending, std::string_view payload) {
    TRY_ASSIGN(auto chunk, pending.assembler.feed(payload));
    if (!chunk) return ok();
    progressed_ = true;
    if (pending.work.kind == PullWork::Kind::span) return on_chunk(op, link, pending, std::move(*chunk));
    if (pending.work.kind == PullWork::Kind::bundle) return on_block(op, link, pending, std::move(*chunk));
    return broken_helper("sent data nobody asked for");
}

Status PullWorker::on_chunk(const Op& op, Link& link, Pending& pending, proto::EncodedChunk&& chunk) {
    const std::size_t job = pending.work.jobs.front();
    const std::uint64_t wanted = proto::leaf_size(state_.item(job).source.size, chunk.index);
    if (pending.owed.erase(chunk.index) == 0) return broken_helper("sent a chunk nobody asked for");
    state_.got(pending.work.ticket, chunk.index);
    raw_come_ += chunk.raw_size;
    if (!state_.current(job, pending.work.generation)) {
        state_.repeated(chunk.raw_size);
        return ok();
    }
    if (chunk.raw_size != wanted) return broken_helper("sent a chunk of another size than it has");
    if (chunk.on_base && !pending.base) return broken_helper("sent a difference to a file nobody named");
    auto raw = chunk.on_base ? codec_.open_on_base(chunk, pending.base->chunk(chunk.index)) : codec_.open(chunk);
    if (pending.base) count_base(job, chunk, raw);
    if (!raw && raw.error().code != Code::integrity && raw.error().code != Code::protocol)
        return std::move(raw).error();
    if (!raw) {
        state_.came_wrong(job, pending.work.generation, chunk.index, chunk.raw_size);
        return ok();
    }
    PullFinisher::Chunk arrived{job, pending.work.generation, chunk.index, std::move(*raw), chunk.leaf};
    return hand_over(op, link, arrived);
}

// A difference that does not lead to the right bytes is the last one: whatever the reason, whole chunks do not have it.
void PullWorker::count_base(std::size_t job, const proto::EncodedChunk& chunk, const Result<std::string>& raw) {
    if (!chunk.on_base) return state_.came_beside_base(job);
    if (!raw) return state_.drop_base(job);
    const std::size_t whole = codec_.expected_size(*raw, {codec::supported(), source_.limits.level});
    state_.came_on_base(job, raw->size(), whole - std::min(whole, chunk.bytes.size()));
}

Status PullWorker::on_block(const Op& op, Link& link, Pending& pending, proto::EncodedChunk&& chunk) {
    if (chunk.index != pending.next_block++) return broken_helper("sent the blocks of a bundle out of order");
    if (chunk.raw_size > proto::k_chunk || chunk.on_base) return broken_helper("sent a block that is too large");
    auto raw = codec_.open(chunk);
    if (!raw && raw.error().code != Code::integrity && raw.error().code != Code::protocol)
        return std::move(raw).error();
    // Which files were in a block that came wrong is not known: all that are still owed at the end are asked for again.
    if (!raw) return ok();
    TRY_ASSIGN(auto records, proto::decode_records<proto::BundleFile>(*raw));
    for (proto::BundleFile& record : records) {
        TRY(on_record(op, link, pending, std::move(record)));
    }
    return ok();
}

Status PullWorker::on_record(const Op& op, Link& link, Pending& pending, proto::BundleFile&& file) {
    if (pending.owed.erase(file.index) == 0) return broken_helper("sent a file nobody asked for");
    state_.got(pending.work.ticket, file.index);
    raw_come_ += file.content.size();
    const std::size_t job = pending.work.jobs[file.index];
    const std::uint32_t generation = pending.generations[file.index];
    if (file.reason != proto::Reason::none) {
        item_refused(job, generation, file.reason, file.error);
        return ok();
    }
    if (file.content.size() != state_.item(job).source.size) {
        state_.changed(job, generation);
        return ok();
    }
    if (proto::content_digest(file.content) != file.digest) {
        state_.came_wrong(job, generation, 0, file.content.size());
        return ok();
    }
    if (!state_.small_arrived(job, generation, file.digest, file.content.size())) return ok();
    PullFinisher::Small arrived{job, std::move(file.content), file.digest};
    return hand_over(op, link, arrived);
}

template <class Thing>
Status PullWorker::hand_over(const Op& op, Link& link, Thing& thing) {
    // What is proven is handed over even if the link dies meanwhile: nobody would fetch it again, as it is owed no
    // more.
    bool alive = true;
    while (!source_.finisher.offer(thing)) {
        source_.finisher.wait_for_room();
        TRY(op.check());
        alive = alive && link.agent->session().keep_alive(op).has_value();
    }
    return ok();
}

void PullWorker::item_refused(std::size_t job, std::uint32_t generation, proto::Reason reason, std::int32_t number) {
    if (!state_.current(job, generation)) return;
    if (reason == proto::Reason::changed || reason == proto::Reason::too_large) {
        state_.changed(job, generation);
    } else if (reason == proto::Reason::not_found) {
        state_.settle(job, FileState::vanished, "it is gone from the box", Code::not_found);
    } else {
        proto::Refusal refusal{};
        refusal.reason = reason;
        refusal.error = number;
        refusal.path = state_.item(job).source.path;
        const Error error = proto::to_error(refusal, "read");
        state_.settle(job, FileState::failed, error.message, error.code);
    }
}

Status PullWorker::on_refusal(Pending& pending, const proto::Refusal& refusal) {
    switch (refusal.reason) {
        case proto::Reason::unknown_message:
        case proto::Reason::malformed:
        case proto::Reason::bad_root:
        case proto::Reason::unclaimed:
        case proto::Reason::fenced:
        case proto::Reason::busy:
        case proto::Reason::cancelled:
        case proto::Reason::limit:
        case proto::Reason::version:
        case proto::Reason::credit:
        case proto::Reason::framing:
        case proto::Reason::silence:
            return proto::to_error(refusal, "read from the box");
        case proto::Reason::none:
        case proto::Reason::not_found:
        case proto::Reason::exists:
        case proto::Reason::not_a_file:
        case proto::Reason::not_a_directory:
        case proto::Reason::not_empty:
        case proto::Reason::changed:
        case proto::Reason::unsafe_path:
        case proto::Reason::cross_device:
        case proto::Reason::permission:
        case proto::Reason::no_space:
        case proto::Reason::no_inodes:
        case proto::Reason::read_only:
        case proto::Reason::too_large:
        case proto::Reason::unsupported:
        case proto::Reason::io:
        case proto::Reason::integrity:
        case proto::Reason::untrue_size:
            break;
    }
    if (pending.work.kind == PullWork::Kind::bundle) return proto::to_error(refusal, "read from the box");
    item_refused(pending.work.jobs.front(), pending.work.generation, refusal.reason, refusal.error);
    return ok();
}

Status PullWorker::on_answer(Pending& pending, const agent::Incoming& incoming) {
    const std::size_t job = pending.work.jobs.front();
    const std::uint32_t generation = pending.work.generation;
    switch (pending.work.kind) {
        case PullWork::Kind::span:
            TRY(decode<proto::ReadEnd>(incoming));
            return pending.owed.empty() ? ok() : broken_helper("left out chunks it was asked for");
        case PullWork::Kind::bundle: {
            TRY(decode<proto::ReadEnd>(incoming));
            for (const std::uint32_t index : pending.owed) {
                state_.came_wrong(pending.work.jobs[index], pending.generations[index], 0,
                                  state_.item(pending.work.jobs[index]).source.size);
            }
            return ok();
        }
        case PullWork::Kind::restat: {
            TRY_ASSIGN(const auto found, decode<proto::Entries>(incoming));
            if (found.entries.size() != 1) return broken_helper("answered with the wrong number of entries");
            state_.restated(job, generation, found.entries.front());
            return ok();
        }
        case PullWork::Kind::certify: {
            TRY_ASSIGN(const auto hashed, decode<proto::Hashed>(incoming));
            if (!hashed.entry.root) return broken_helper("sent no digest");
            state_.certified(job, generation, *hashed.entry.root);
            return ok();
        }
        case PullWork::Kind::compare:
            break;
    }
    if (incoming.type == proto::MessageType::leaves) {
        TRY_ASSIGN(const auto some, decode<proto::Leaves>(incoming));
        const std::uint64_t most = proto::leaf_count(state_.item(job).source.size);
        if (some.first != pending.leaves.size() || some.leaves.size() > most - pending.leaves.size()) {
            return broken_helper("sent more leaves than the file has");
        }
        pending.leaves.insert(pending.leaves.end(), some.leaves.begin(), some.leaves.end());
        return ok();
    }
    TRY(decode<proto::Hashed>(incoming));
    state_.compared(job, generation, pending.leaves);
    return ok();
}

void PullWorker::return_all() {
    for (auto& [request, pending] : pending_) {
        if (pending.work.kind == PullWork::Kind::bundle) {
            PullWork rest = pending.work;
            rest.jobs.clear();
            for (const std::uint32_t index : pending.owed) {
                rest.jobs.push_back(pending.work.jobs[index]);
            }
            state_.done(rest.ticket);
            if (!rest.jobs.empty()) state_.give_back(std::move(rest));
            continue;
        }
        if (pending.work.kind != PullWork::Kind::span) {
            state_.give_back(std::move(pending.work));
            continue;
        }
        state_.done(pending.work.ticket);
        for (const std::uint32_t index : pending.owed) {
            PullWork one = pending.work;
            one.first = index;
            one.count = 1;
            one.raw = proto::k_chunk;
            state_.give_back(std::move(one));
        }
    }
    pending_.clear();
    pending_raw_ = 0;
}

}  // namespace drawhitch::flow
