#include "flow/transfer/pull_state.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/text.hpp"
#include "core/proto/limits.hpp"
#include "core/proto/wire.hpp"
#include "flow/transfer/limits.hpp"

namespace drawhitch::flow {

namespace {

constexpr std::size_t k_bundle_paths = 256U << 10U;  // well inside a control frame
constexpr std::uint32_t k_most_changes = 3;
// Nobody asks again for what was asked for less than this ago: on a sound path all comes within it.
constexpr milliseconds k_fair_time{400};
// So many chunks in a row that were no smaller as differences: the next will not be either.
constexpr std::uint32_t k_most_useless = 32;
constexpr milliseconds k_look_again{100};  // while others owe something that may have to be asked for again

std::uint64_t total_bytes(const std::vector<PullItem>& items) {
    std::uint64_t total = 0;
    for (const PullItem& item : items) {
        total += item.source.size;
    }
    return total;
}

}  // namespace

disk::PartPlan part_plan(const PullItem& item) {
    std::string identity;
    proto::Writer writer(identity);
    proto::Fence fence = item.source.fence();
    fence.visit(writer);
    return {item.source.size, item.source.allocated, identity + item.source.path};
}

PullState::PullState(const Op& op, disk::Landing& landing, std::vector<PullItem> items)
    : landing_(landing),
      verdicts_(items.size()),
      all_bytes_(total_bytes(items)),
      unsettled_(items.size()),
      activity_(op.events, "pull", EventUnit::bytes, total_bytes(items)) {
    jobs_.reserve(items.size());
    for (PullItem& item : items) {
        Group& group = groups_.try_emplace(item.group, Group{jobs_.size(), 0, 0}).first->second;
        ++group.count;
        ++group.open;
        jobs_.emplace_back().item = std::move(item);
    }
}

// Bundles know no growing files.
bool PullState::is_small(const PullJob& job) const {
    return job.item.source.size <= proto::k_small_max && !job.item.growing;
}

bool PullState::is_stale(const PullWork& work) const {
    if (work.kind == PullWork::Kind::bundle) return false;
    const PullJob& job = jobs_[work.jobs.front()];
    return job.settled || job.generation != work.generation;
}

// While little is left, a span is shared out chunk by chunk.
void PullState::cut_if_last(PullWork& work) {
    if (work.kind != PullWork::Kind::span || work.count < 2 || connections_ < 2) return;
    if (ready_.size() >= k_cut_below * connections_ || next_ < jobs_.size()) return;
    const std::uint64_t size = jobs_[work.jobs.front()].item.source.size;
    for (std::uint32_t i = work.count; i-- > 1;) {
        const std::uint32_t chunk = work.first + i;
        ready_.push_front(
            {PullWork::Kind::span, work.jobs, work.generation, chunk, 1, proto::leaf_size(size, chunk), 0});
    }
    work.count = 1;
    work.raw = proto::leaf_size(size, work.first);
    moved_.notify_all();
}

PullWork PullState::hand_out(PullWork work, Instant now) {
    if (work.kind != PullWork::Kind::span && work.kind != PullWork::Kind::bundle) return work;
    work.ticket = ++last_ticket_;
    Owed owed{work, {}, now, false};
    const auto count = work.kind == PullWork::Kind::span ? work.count : static_cast<std::uint32_t>(work.jobs.size());
    for (std::uint32_t i = 0; i < count; ++i)
        owed.indexes.insert(work.first + i);
    owed_.emplace(work.ticket, std::move(owed));
    return work;
}

// Each piece is asked for a second time at most: the one who has it now, or the one who asks now, brings it.
std::optional<PullWork> PullState::repeat_owed(Instant now) {
    for (auto& [ticket, owed] : owed_) {
        if (owed.repeated || owed.indexes.empty() || is_stale(owed.work)) continue;
        if (now - owed.since < k_fair_time) return std::nullopt;  // oldest first
        owed.repeated = true;
        PullWork again = owed.work;
        if (again.kind == PullWork::Kind::bundle) {
            again.jobs.clear();
            for (const std::uint32_t index : owed.indexes)
                again.jobs.push_back(owed.work.jobs[index]);
        } else {
            again.first = *owed.indexes.begin();
            again.count = *owed.indexes.rbegin() - again.first + 1;
        }
        again = hand_out(std::move(again), now);
        owed_.at(again.ticket).repeated = true;
        return again;
    }
    return std::nullopt;
}

void PullState::got(std::uint64_t ticket, std::uint32_t index) {
    const std::lock_guard lock{mutex_};
    const auto found = owed_.find(ticket);
    if (found != owed_.end()) found->second.indexes.erase(index);
}

void PullState::done(std::uint64_t ticket) {
    const std::lock_guard lock{mutex_};
    owed_.erase(ticket);
}

void PullState::set_connections(std::size_t count) {
    const std::lock_guard lock{mutex_};
    connections_ = count;
}

std::size_t PullState::connections() const {
    const std::lock_guard lock{mutex_};
    return connections_;
}

Result<std::optional<PullWork>> PullState::take(const Op& op, bool repeat) {
    std::unique_lock lock{mutex_};
    for (;;) {
        if (stopped_) return *stopped_;
        while (!ready_.empty()) {
            PullWork work = std::move(ready_.front());
            ready_.pop_front();
            if (is_stale(work)) continue;
            cut_if_last(work);
            return std::optional{hand_out(std::move(work), op.clock.now())};
        }
        PullWork bundle{};
        collect_small(bundle);
        if (!bundle.jobs.empty()) return std::optional{hand_out(std::move(bundle), op.clock.now())};
        std::size_t index = 0;
        if (!to_open_.empty()) {
            index = to_open_.front();
            to_open_.pop_front();
        } else if (next_ < jobs_.size()) {
            index = next_++;
        } else {
            return repeat ? repeat_owed(op.clock.now()) : std::nullopt;
        }
        lock.unlock();
        TRY(open_part(op, index));
        lock.lock();
    }
}

void PullState::collect_small(PullWork& bundle) {
    std::size_t paths = 0;
    const auto fits = [&](const PullJob& job) {
        const std::size_t room = paths + job.item.source.path.size() + 64;
        return bundle.jobs.size() < k_bundle_files && room <= k_bundle_paths &&
               (bundle.jobs.empty() || bundle.raw + job.item.source.size <= k_bundle_bytes);
    };
    const auto take = [&](std::size_t index) {
        bundle.jobs.push_back(index);
        bundle.raw += jobs_[index].item.source.size + 128;  // a record has a head, too
        paths += jobs_[index].item.source.path.size() + 64;
    };
    while (!small_again_.empty() && fits(jobs_[small_again_.front()])) {
        if (!jobs_[small_again_.front()].settled) take(small_again_.front());
        small_again_.pop_front();
    }
    while (next_ < jobs_.size() && is_small(jobs_[next_]) && fits(jobs_[next_])) {
        take(next_++);
    }
}

// Not under the lock: proving an old part reads it whole.
Status PullState::open_part(const Op& op, std::size_t index) {
    const PullItem wanted = item(index);
    const std::lock_guard part_lock{part_mutex_};
    {
        const std::lock_guard lock{mutex_};
        jobs_[index].part.reset();
    }
    const auto base = LocalBase::open(landing_.destination(), wanted.base);
    auto part = landing_.part(op, wanted.target, part_plan(wanted));
    if (!part && part.error().code == Code::unsafe_path) {
        settle(index, FileState::failed, part.error().message, part.error().code);
        return ok();
    }
    if (!part) return std::move(part).error();
    const std::lock_guard lock{mutex_};
    PullJob& job = jobs_[index];
    job.part = std::move(*part);
    job.base = base;
    followers_[index] = {};
    job.open_chunks = job.part->leaf_count() - job.part->proven_count();
    tally_.resumed += job.part->proven_bytes();
    advance_locked(job.part->proven_bytes());
    if (job.open_chunks == 0) {
        complete_.emplace_back(index, job.generation);
    } else if (job.part->has_earlier_state()) {
        ready_.push_back({PullWork::Kind::compare, {index}, job.generation, 0, 0, 0});
    } else {
        queue_missing(index);
    }
    moved_.notify_all();
    return ok();
}

void PullState::queue_missing(std::size_t index) {
    const PullJob& job = jobs_[index];
    const auto count = static_cast<std::uint32_t>(job.part->leaf_count());
    for (std::uint32_t at = 0; at < count;) {
        if (job.part->proven(at)) {
            ++at;
            continue;
        }
        PullWork span{PullWork::Kind::span, {index}, job.generation, at, 0, 0};
        while (at < count && span.count < k_span_chunks && !job.part->proven(at)) {
            span.raw += proto::leaf_size(job.item.source.size, at);
            ++span.count;
            ++at;
        }
        ready_.push_back(std::move(span));
    }
}

void PullState::give_back(PullWork work) {
    const std::lock_guard lock{mutex_};
    owed_.erase(std::exchange(work.ticket, 0));
    ready_.push_front(std::move(work));
    moved_.notify_all();
}

bool PullState::over() const {
    const std::lock_guard lock{mutex_};
    return unsettled_ == 0 || stopped_.has_value();
}

void PullState::wait() {
    std::unique_lock lock{mutex_};
    if (unsettled_ == 0 || stopped_ || !ready_.empty() || !small_again_.empty() || !to_open_.empty()) return;
    moved_.wait_for(lock, owed_.empty() ? milliseconds{1000} : k_look_again);
}

void PullState::wait_over(milliseconds most) {
    std::unique_lock lock{mutex_};
    moved_.wait_for(lock, most, [this] { return unsettled_ == 0 || stopped_.has_value(); });
}

std::uint64_t PullState::bytes_left() const {
    const std::lock_guard lock{mutex_};
    return all_bytes_ - std::min(all_bytes_, done_bytes_);
}

PullItem PullState::item(std::size_t job) const {
    const std::lock_guard lock{mutex_};
    return jobs_[job].item;
}

bool PullState::current(std::size_t job, std::uint32_t generation) const {
    const std::lock_guard lock{mutex_};
    return !jobs_[job].settled && jobs_[job].generation == generation;
}

void PullState::changed(std::size_t index, std::uint32_t generation) {
    const std::lock_guard lock{mutex_};
    PullJob& job = jobs_[index];
    if (job.settled || job.generation != generation) return;
    ++job.generation;
    job.arrived = false;
    forget_troubles_locked(index);
    job.certified = false;
    if (++job.changes > k_most_changes) {
        settle_locked(index, FileState::changing, "it kept changing while it was read", Code::changed);
        return;
    }
    job.item.doubt = true;
    ready_.push_back({PullWork::Kind::restat, {index}, job.generation, 0, 0, 0});
    moved_.notify_all();
}

void PullState::restated(std::size_t index, std::uint32_t generation, const proto::FileEntry& found) {
    const std::lock_guard lock{mutex_};
    PullJob& job = jobs_[index];
    if (job.settled || job.generation != generation) return;
    if (found.type == proto::FileType::unknown) {
        settle_locked(index, FileState::vanished, "it is gone from the box", Code::not_found);
        return;
    }
    if (found.type != proto::FileType::file) {
        settle_locked(index, FileState::failed, "it is no regular file any more", Code::changed);
        return;
    }
    job.item.source = found;
    (is_small(job) ? small_again_ : to_open_).push_back(index);
    moved_.notify_all();
}

void PullState::came_wrong(std::size_t index, std::uint32_t generation, std::uint32_t chunk, std::uint64_t bytes) {
    const std::lock_guard lock{mutex_};
    PullJob& job = jobs_[index];
    tally_.repeated += bytes;
    ++tally_.wrong_chunks;
    if (job.settled || job.arrived || job.generation != generation) return;
    if (++wrong_[{index, chunk}] >= k_most_wrong) {
        settle_locked(index, FileState::failed, "it arrived wrong three times", Code::integrity);
        return;
    }
    if (is_small(job)) {
        small_again_.push_back(index);
    } else {
        const std::uint64_t raw = proto::leaf_size(job.item.source.size, chunk);
        ready_.push_front({PullWork::Kind::span, {index}, generation, chunk, 1, raw});
    }
    moved_.notify_all();
}

void PullState::compared(std::size_t index, std::uint32_t generation, const std::vector<proto::Digest>& leaves) {
    const std::lock_guard lock{mutex_};
    PullJob& job = jobs_[index];
    if (job.settled || job.generation != generation) return;
    const std::uint64_t before = job.part->proven_bytes();
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        if (job.part->adopt(i, leaves[i])) --job.open_chunks;
    }
    const std::uint64_t adopted = job.part->proven_bytes() - before;
    tally_.resumed += adopted;
    advance_locked(adopted);
    if (job.open_chunks == 0) {
        complete_.emplace_back(index, job.generation);
    } else {
        queue_missing(index);
    }
    moved_.notify_all();
}

void PullState::certified(std::size_t index, std::uint32_t generation, const proto::Digest& root) {
    {
        const std::lock_guard lock{mutex_};
        PullJob& job = jobs_[index];
        if (job.settled || job.generation != generation) return;
        if (job.root == root) {
            job.certified = true;
            complete_.emplace_back(index, job.generation);
            moved_.notify_all();
            return;
        }
    }
    changed(index, generation);
}

bool PullState::small_arrived(std::size_t index, std::uint32_t generation, const proto::Digest& digest,
                              std::uint64_t bytes) {
    const std::lock_guard lock{mutex_};
    PullJob& job = jobs_[index];
    if (job.settled || job.arrived || job.generation != generation) {
        tally_.repeated += bytes;
        return false;
    }
    const auto looked = first_look_.find(index);
    if (!job.item.doubt || (looked != first_look_.end() && looked->second == digest)) {
        job.arrived = true;
        tally_.fetched += bytes;
        advance_locked(bytes);
        return true;
    }
    // Unequal the second time although no fence broke: what counts is that two looks in a row agree.
    tally_.repeated += bytes;
    if (looked != first_look_.end() && ++job.changes > k_most_changes) {
        settle_locked(index, FileState::changing, "it kept changing while it was read", Code::changed);
        return false;
    }
    first_look_[index] = digest;
    small_again_.push_back(index);
    moved_.notify_all();
    return false;
}

void PullState::fetched(std::uint64_t bytes) {
    const std::lock_guard lock{mutex_};
    tally_.fetched += bytes;
    advance_locked(bytes);
}

void PullState::repeated(std::uint64_t bytes) {
    const std::lock_guard lock{mutex_};
    tally_.repeated += bytes;
}

void PullState::advance_locked(std::uint64_t bytes) {
    if (bytes == 0) return;
    done_bytes_ += bytes;
    activity_.advance_to(done_bytes_);
}

void PullState::settle(std::size_t job, FileState state, std::string why, Code code) {
    const std::lock_guard lock{mutex_};
    settle_locked(job, state, std::move(why), code);
}

void PullState::settle_locked(std::size_t index, FileState state, std::string why, Code code) {
    PullJob& job = jobs_[index];
    if (job.settled) return;
    job.settled = true;
    --unsettled_;
    Group& group = groups_[job.item.group];
    if (--group.open == 0) done_groups_.push_back(job.item.group);
    verdicts_[index] = {state, code, std::move(why)};
    job.part.reset();
    job.base.reset();
    forget_troubles_locked(index);
    moved_.notify_all();
}

std::shared_ptr<LocalBase> PullState::base_of(std::size_t job) const {
    const std::lock_guard lock{mutex_};
    return jobs_[job].base;
}

void PullState::came_on_base(std::size_t job, std::uint64_t raw, std::uint64_t saved) {
    const std::lock_guard lock{mutex_};
    tally_.on_base += raw;
    tally_.base_saved += saved;
    if (jobs_[job].base) jobs_[job].base->useless = 0;
}

void PullState::came_beside_base(std::size_t job) {
    const std::lock_guard lock{mutex_};
    if (jobs_[job].base && ++jobs_[job].base->useless >= k_most_useless) jobs_[job].base.reset();
}

void PullState::drop_base(std::size_t job) {
    const std::lock_guard lock{mutex_};
    jobs_[job].base.reset();
}

void PullState::stop(Error error) {
    const std::lock_guard lock{mutex_};
    if (!stopped_) stopped_ = std::move(error);
    moved_.notify_all();
}

bool PullState::chunk_written(std::size_t index) {
    const std::lock_guard lock{mutex_};
    return --jobs_[index].open_chunks == 0;
}

bool PullState::may_land(std::size_t index, const proto::Digest& root, const proto::Digest& sha256) {
    const std::lock_guard lock{mutex_};
    PullJob& job = jobs_[index];
    job.root = root;
    job.sha256 = sha256;
    if (!job.item.doubt || job.certified || job.item.growing) return true;
    ready_.push_back({PullWork::Kind::certify, {index}, job.generation, 0, 0, 0});
    moved_.notify_all();
    return false;
}

void PullState::small_digests(std::size_t index, const proto::Digest& root, const proto::Digest& sha256) {
    const std::lock_guard lock{mutex_};
    jobs_[index].root = root;
    jobs_[index].sha256 = sha256;
}

void PullState::unlanded(std::size_t index, const Error& error) {
    const std::lock_guard lock{mutex_};
    verdicts_[index] = {FileState::failed, error.code, error.message};
}

std::shared_ptr<disk::PartFile> PullState::part_of(std::size_t index, std::uint32_t generation) const {
    const std::lock_guard lock{mutex_};
    const PullJob& job = jobs_[index];
    return job.settled || job.generation != generation ? nullptr : job.part;
}

std::vector<std::pair<std::size_t, std::uint32_t>> PullState::take_complete() {
    const std::lock_guard lock{mutex_};
    return std::exchange(complete_, {});
}

std::uint32_t PullState::generation(std::size_t job) const {
    const std::lock_guard lock{mutex_};
    return jobs_[job].generation;
}

void PullState::forget_troubles_locked(std::size_t index) {
    wrong_.erase(wrong_.lower_bound({index, 0}), wrong_.lower_bound({index + 1, 0}));
    first_look_.erase(index);
}

}  // namespace drawhitch::flow
