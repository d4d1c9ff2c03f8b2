#include "flow/transfer/pull_finisher.hpp"

#include <chrono>

#include "core/proto/limits.hpp"

namespace drawhitch::flow {

namespace {

// One chunk being written and one behind it: what waits here is lost when we are killed.
constexpr std::size_t k_most_waiting = 2U << 20U;
constexpr std::size_t k_settle_files = 4096;
constexpr std::uint64_t k_settle_bytes = 64U << 20U;

// The failure is not about one file: nothing else could be written either.
bool stops_everything(Code code) {
    return code == Code::no_space || code == Code::no_inodes || code == Code::read_only || code == Code::cancelled ||
           code == Code::deadline;
}

}  // namespace

PullFinisher::PullFinisher(PullState& state, disk::Landing& landing)
    : state_(state), landing_(landing), thread_([this] { run(); }) {}

PullFinisher::~PullFinisher() {
    {
        const std::lock_guard lock{mutex_};
        ending_ = true;
        moved_.notify_all();
    }
    thread_.join();
}

bool PullFinisher::push(Task task, std::size_t bytes) {
    const std::lock_guard lock{mutex_};
    bytes_ += bytes;
    tasks_.push_back(std::move(task));
    moved_.notify_all();
    return true;
}

bool PullFinisher::offer(Chunk& chunk) {
    {
        const std::lock_guard lock{mutex_};
        if (bytes_ >= k_most_waiting) return false;
    }
    const std::size_t bytes = chunk.raw.size();
    return push({Task::Kind::chunk, std::move(chunk), {}}, bytes);
}

bool PullFinisher::offer(Small& small) {
    {
        const std::lock_guard lock{mutex_};
        if (bytes_ >= k_most_waiting) return false;
    }
    const std::size_t bytes = small.content.size();
    return push({Task::Kind::small, {}, std::move(small)}, bytes);
}

void PullFinisher::wait_for_room() {
    std::unique_lock lock{mutex_};
    moved_.wait_for(lock, std::chrono::seconds{1}, [this] { return bytes_ < k_most_waiting; });
}

void PullFinisher::add_complete() {
    for (const auto& [job, generation] : state_.take_complete()) {
        push({Task::Kind::complete, {job, generation, 0, {}, {}}, {}}, 0);
    }
}

void PullFinisher::finish() {
    land_now();
    std::unique_lock lock{mutex_};
    moved_.wait(lock, [this] { return tasks_.empty() && !busy_; });
}

void PullFinisher::land_now() {
    std::unique_lock lock{mutex_};
    const std::uint64_t mine = ++landings_asked_;
    tasks_.push_back({Task::Kind::settle_small, {}, {}});
    moved_.notify_all();
    moved_.wait(lock, [this, mine] { return landings_done_ >= mine; });
}

void PullFinisher::run() {
    std::unique_lock lock{mutex_};
    for (;;) {
        moved_.wait(lock, [this] { return ending_ || !tasks_.empty(); });
        if (tasks_.empty()) return;
        Task task = std::move(tasks_.front());
        tasks_.pop_front();
        busy_ = true;
        const std::size_t bytes = task.chunk.raw.size() + task.small.content.size();
        lock.unlock();
        perform(task);
        lock.lock();
        bytes_ -= bytes;
        if (task.kind == Task::Kind::settle_small) ++landings_done_;
        busy_ = false;
        moved_.notify_all();
    }
}

void PullFinisher::perform(Task& task) {
    Status done = ok();
    std::size_t job = task.chunk.job;
    switch (task.kind) {
        case Task::Kind::chunk:
            done = write(task.chunk);
            break;
        case Task::Kind::small:
            job = task.small.job;
            done = write(task.small);
            break;
        case Task::Kind::complete: {
            const std::lock_guard lock{state_.part_mutex()};
            const auto part = state_.part_of(job, task.chunk.generation);
            if (part) done = complete(job, task.chunk.generation, part);
            break;
        }
        case Task::Kind::settle_small:
            done = land_small();
            if (!done) state_.stop(std::move(done).error());
            return;
    }
    if (!done) failed(job, done.error());
}

void PullFinisher::failed(std::size_t job, const Error& error) {
    if (stops_everything(error.code)) {
        state_.stop(error);
    } else {
        state_.settle(job, FileState::failed, error.message, error.code);
    }
}

Status PullFinisher::write(Chunk& chunk) {
    const std::lock_guard lock{state_.part_mutex()};
    const auto part = state_.part_of(chunk.job, chunk.generation);
    if (!part || part->proven(chunk.index)) {
        state_.repeated(chunk.raw.size());
        return ok();
    }
    const Status written = part->write_leaf(chunk.index, chunk.raw, chunk.leaf);
    if (!written) return landing_.explain(written.error());
    state_.fetched(chunk.raw.size());
    TRY(follow(chunk.job, *part, chunk.index, chunk.raw));
    if (!state_.chunk_written(chunk.job)) return ok();
    return complete(chunk.job, chunk.generation, part);
}

// Eats, in order, every proven chunk it has not had: the fresh one from memory, others read back.
Status PullFinisher::follow(std::size_t job, disk::PartFile& part, std::uint32_t fresh_index, std::string_view fresh) {
    PullState::Follower& follower = state_.follower(job);
    std::string raw;
    while (follower.chunks < part.leaf_count() && part.proven(follower.chunks)) {
        if (follower.chunks == fresh_index && !fresh.empty()) {
            follower.hash.update(fresh);
        } else {
            raw.resize(proto::leaf_size(part.size(), follower.chunks));
            TRY_ASSIGN(const std::size_t count, part.read(follower.chunks * proto::k_chunk, raw));
            if (count != raw.size()) return Error{Code::local_io, "a part file was cut while it was pulled"};
            follower.hash.update(raw);
        }
        ++follower.chunks;
    }
    return ok();
}

Status PullFinisher::complete(std::size_t job, std::uint32_t generation, const std::shared_ptr<disk::PartFile>& part) {
    TRY(follow(job, *part, 0, {}));
    const auto leaves = part->leaves();
    // A copy is finished: certification may bring the file here a second time.
    proto::Sha256 hash = state_.follower(job).hash;
    if (!state_.may_land(job, proto::root_digest(part->size(), leaves), hash.finish())) return ok();
    const PullItem item = state_.item(job);
    TRY(landing_.land(*part, item.target, {item.source.mode, item.source.mtime_ns}));
    if (!state_.current(job, generation)) return ok();
    if (item.growing) {
        state_.settle(job, FileState::unsettled, "it was open for writing on the box", Code::changed);
    } else {
        state_.settle(job, FileState::pulled);
    }
    return ok();
}

Status PullFinisher::write(Small& small) {
    const PullItem item = state_.item(small.job);
    state_.small_digests(small.job, small.digest, proto::sha256(small.content));
    TRY(landing_.add_small(item.target, small.content, {item.source.mode, item.source.mtime_ns}));
    waiting_[item.target] = small.job;
    state_.settle(small.job, FileState::pulled);
    const bool many = landing_.waiting_files() >= k_settle_files || landing_.waiting_bytes() >= k_settle_bytes;
    return many ? land_small() : ok();
}

// What was called pulled when it was written is so only now; where that proves wrong the result is taken back.
Status PullFinisher::land_small() {
    const auto unlanded = landing_.settle();
    if (!unlanded) {
        for (const auto& [target, job] : waiting_) {
            state_.unlanded(job, unlanded.error());
        }
        waiting_.clear();
        return unlanded.error();
    }
    for (const disk::Landing::Unlanded& file : *unlanded) {
        const auto job = waiting_.find(file.path);
        if (job != waiting_.end()) state_.unlanded(job->second, file.error);
        if (stops_everything(file.error.code)) state_.stop(file.error);
    }
    waiting_.clear();
    return ok();
}

}  // namespace drawhitch::flow
