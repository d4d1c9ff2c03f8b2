#include "flow/transfer/push_state.hpp"

#include <algorithm>
#include <chrono>

#include "base/text.hpp"
#include "core/proto/limits.hpp"
#include "flow/transfer/limits.hpp"

namespace drawhitch::flow {

namespace {

constexpr std::uint64_t k_record_head = 128;
constexpr std::uint32_t k_whole_file = 0xFFFFFFFF;

std::uint64_t total_bytes(const std::vector<PushItem>& items) {
    std::uint64_t total = 0;
    for (const PushItem& item : items) {
        total += item.size;
    }
    return total;
}

// The largest record must fit a block with its head.
bool is_small(const PushItem& item) {
    return item.size <= proto::k_small_max;
}

}  // namespace

std::vector<std::string> part_names(const std::vector<PushItem>& items) {
    std::map<std::string, int> seen;
    std::vector<std::string> names;
    names.reserve(items.size());
    for (const PushItem& item : items) {
        if (is_small(item)) {
            names.emplace_back();  // sent whole: it has no part
            continue;
        }
        std::string name = "push-" + item.root.hex();
        const int nth = ++seen[name];
        names.push_back(nth == 1 ? name : name + "-" + std::to_string(nth));
    }
    return names;
}

PushState::PushState(const Op& op, const std::vector<PushItem>& items)
    : items_(items),
      part_names_(part_names(items)),
      files_(items.size()),
      unsettled_(items.size()),
      all_bytes_(total_bytes(items)),
      activity_(op.events, "push", EventUnit::bytes, total_bytes(items)) {
    outcome_.whole.resize(items.size());
}

std::string PushState::part_name(std::size_t file) const {
    return part_names_[file];
}

PushWork PushState::hand_out(PushWork work, const Seat& seat) {
    work.ticket = ++last_ticket_;
    owed_[work.ticket] = {work, &seat};
    return work;
}

Result<std::optional<PushWork>> PushState::take(const Seat& seat) {
    const std::lock_guard lock{mutex_};
    if (outcome_.stopped) return *outcome_.stopped;
    while (!ready_.empty()) {
        PushWork work = std::move(ready_.front());
        ready_.pop_front();
        if (work.kind != PushWork::Kind::bundle && files_[work.files.front()].settled) continue;
        cut_if_last(work);
        return std::optional{hand_out(std::move(work), seat)};
    }
    PushWork bundle{};
    collect_small(bundle);
    if (!bundle.files.empty()) return std::optional{hand_out(std::move(bundle), seat)};
    if (next_ == items_.size()) return std::optional<PushWork>{};
    return std::optional{hand_out({PushWork::Kind::probe, {next_++}}, seat)};
}

void PushState::done(std::uint64_t ticket) {
    const std::lock_guard lock{mutex_};
    owed_.erase(ticket);
}

void PushState::collect_small(PushWork& bundle) {
    const auto fits = [&](std::size_t file) {
        const std::uint64_t size = items_[file].size + items_[file].target.size() + k_record_head;
        return bundle.files.size() < k_bundle_files && (bundle.files.empty() || bundle.raw + size <= k_bundle_bytes);
    };
    const auto take = [&](std::size_t file) {
        bundle.files.push_back(file);
        bundle.raw += items_[file].size + items_[file].target.size() + k_record_head;
    };
    while (!small_again_.empty() && fits(small_again_.front())) {
        if (!files_[small_again_.front()].settled) take(small_again_.front());
        small_again_.pop_front();
    }
    while (next_ < items_.size() && is_small(items_[next_]) && fits(next_)) {
        take(next_++);
    }
}

void PushState::give_back(std::uint64_t ticket, bool begun) {
    const std::lock_guard lock{mutex_};
    const auto found = owed_.find(ticket);
    if (found == owed_.end()) return;
    PushWork work = std::move(found->second.work);
    owed_.erase(found);
    const std::uint64_t repeated = outcome_.tally.repeated;
    give_back_locked(std::move(work));
    if (!begun) outcome_.tally.repeated = repeated;
}

void PushState::give_back_locked(PushWork work) {
    work.ticket = 0;
    if (work.kind == PushWork::Kind::bundle) {
        std::erase_if(work.files, [this](std::size_t file) { return files_[file].settled; });
        work.raw = 0;
        for (const std::size_t file : work.files)
            work.raw += items_[file].size;
        if (work.files.empty()) return;
    } else if (files_[work.files.front()].settled) {
        return;
    }
    outcome_.tally.repeated += work.raw;
    ready_.push_front(std::move(work));
    moved_.notify_all();
}

bool PushState::take_from_silent(const Seat& mine, Instant now, Fence& fence) {
    const std::lock_guard lock{mutex_};
    if (!ready_.empty()) return false;
    const std::int64_t at = now.time_since_epoch().count();
    bool any = false;
    for (auto owed = owed_.begin(); owed != owed_.end();) {
        const Seat& seat = *owed->second.seat;
        const std::int64_t heard = seat.heard;
        const bool silent = &seat != &mine && seat.waits && heard != 0 && at - heard > k_silent;
        if (!silent) {
            ++owed;
            continue;
        }
        if (!any) fence.lost();  // before the work is anybody's again
        any = true;
        PushWork work = std::move(owed->second.work);
        owed = owed_.erase(owed);
        give_back_locked(std::move(work));
    }
    return any;
}

bool PushState::over() const {
    const std::lock_guard lock{mutex_};
    return unsettled_ == 0 || outcome_.stopped.has_value();
}

void PushState::wait_over(milliseconds most) {
    std::unique_lock lock{mutex_};
    moved_.wait_for(lock, most, [this] { return unsettled_ == 0 || outcome_.stopped.has_value(); });
}

std::uint64_t PushState::bytes_left() const {
    const std::lock_guard lock{mutex_};
    return all_bytes_ - std::min(all_bytes_, done_bytes_);
}

void PushState::set_connections(std::size_t count) {
    const std::lock_guard lock{mutex_};
    connections_ = count;
}

// While little is left, a span is shared out chunk by chunk.
void PushState::cut_if_last(PushWork& work) {
    if (work.kind != PushWork::Kind::span || work.chunks.size() < 2 || connections_ < 2) return;
    if (ready_.size() >= k_cut_below * connections_ || next_ < items_.size()) return;
    const std::size_t file = work.files.front();
    for (std::size_t i = work.chunks.size(); i-- > 1;) {
        const std::uint64_t raw = proto::leaf_size(items_[file].size, work.chunks[i]);
        ready_.push_front({PushWork::Kind::span, work.files, {work.chunks[i]}, raw, 0});
    }
    work.chunks.resize(1);
    work.raw = proto::leaf_size(items_[file].size, work.chunks.front());
    moved_.notify_all();
}

bool PushState::settled(std::size_t file) const {
    const std::lock_guard lock{mutex_};
    return files_[file].settled;
}

void PushState::wait() {
    std::unique_lock lock{mutex_};
    if (unsettled_ == 0 || outcome_.stopped || !ready_.empty() || !small_again_.empty()) return;
    moved_.wait_for(lock, std::chrono::seconds{1});
}

void PushState::probed(std::uint64_t ticket, const std::vector<proto::Digest>& leaves) {
    const std::lock_guard lock{mutex_};
    const auto asked = file_of(ticket);
    if (!asked) return;
    const std::size_t file = *asked;
    const PushItem& item = items_[file];
    std::vector<std::uint32_t> missing;
    for (std::size_t i = 0; i < item.leaves.size(); ++i) {
        if (i < leaves.size() && leaves[i] == item.leaves[i]) {
            const std::size_t size = proto::leaf_size(item.size, i);
            outcome_.tally.resumed += size;
            advance_locked(size);
        } else {
            missing.push_back(static_cast<std::uint32_t>(i));
        }
    }
    files_[file].open_chunks = missing.size();
    if (missing.empty()) {
        ready_.push_back({PushWork::Kind::commit, {file}});
    } else {
        queue_chunks_locked(file, missing);
    }
    moved_.notify_all();
}

void PushState::queue_chunks_locked(std::size_t file, const std::vector<std::uint32_t>& chunks) {
    for (std::size_t at = 0; at < chunks.size(); at += k_span_chunks) {
        PushWork span{PushWork::Kind::span, {file}};
        for (std::size_t i = at; i < chunks.size() && i < at + k_span_chunks; ++i) {
            span.chunks.push_back(chunks[i]);
            span.raw += proto::leaf_size(items_[file].size, chunks[i]);
        }
        ready_.push_back(std::move(span));
    }
}

// Nothing where the work was taken away, and another connection does it now or did.
std::optional<std::size_t> PushState::file_of(std::uint64_t ticket) const {
    const auto found = owed_.find(ticket);
    if (found == owed_.end()) return std::nullopt;
    return found->second.work.files.front();
}

std::optional<std::size_t> PushState::strike_out(std::uint64_t ticket, std::uint32_t chunk) {
    const auto file = file_of(ticket);
    if (!file) return std::nullopt;
    PushWork& work = owed_[ticket].work;
    if (std::erase(work.chunks, chunk) == 0) return std::nullopt;
    work.raw -= std::min<std::uint64_t>(work.raw, proto::leaf_size(items_[*file].size, chunk));
    return file;
}

void PushState::chunk_acked(std::uint64_t ticket, std::uint32_t chunk) {
    const std::lock_guard lock{mutex_};
    const auto file = strike_out(ticket, chunk);
    if (!file) return;
    const std::size_t size = proto::leaf_size(items_[*file].size, chunk);
    outcome_.tally.sent += size;
    advance_locked(size);
    if (files_[*file].settled || --files_[*file].open_chunks > 0) return;
    ready_.push_back({PushWork::Kind::commit, {*file}});
    moved_.notify_all();
}

void PushState::chunk_wrong(std::uint64_t ticket, std::uint32_t chunk) {
    const std::lock_guard lock{mutex_};
    if (const auto file = strike_out(ticket, chunk)) wrong_locked(*file, chunk);
}

void PushState::small_wrong(std::uint64_t ticket, std::size_t file) {
    const std::lock_guard lock{mutex_};
    const auto found = owed_.find(ticket);
    if (found == owed_.end() || std::erase(found->second.work.files, file) == 0) return;
    wrong_locked(file, 0);
}

void PushState::wrong_locked(std::size_t file, std::uint32_t chunk) {
    if (files_[file].settled) return;
    if (++files_[file].wrong[chunk] >= k_most_wrong) {
        outcome_.stopped =
            Error{Code::integrity, printable(items_[file].source) + " arrived damaged on the box three times"}
                .because("the box's memory, disk or helper changes bytes")
                .then("drawhitch doctor");
    } else if (is_small(items_[file])) {
        outcome_.tally.repeated += items_[file].size;
        small_again_.push_back(file);
    } else {
        outcome_.tally.repeated += proto::leaf_size(items_[file].size, chunk);
        queue_chunks_locked(file, {chunk});
    }
    moved_.notify_all();
}

void PushState::small_written(std::size_t file) {
    const std::lock_guard lock{mutex_};
    if (files_[file].settled) return;
    outcome_.tally.sent += items_[file].size;
    advance_locked(items_[file].size);
    outcome_.whole[file] = true;
    settle_locked(file);
}

void PushState::committed(std::size_t file) {
    const std::lock_guard lock{mutex_};
    if (!files_[file].settled) outcome_.whole[file] = true;
    settle_locked(file);
}

void PushState::commit_wrong(std::uint64_t ticket) {
    const std::lock_guard lock{mutex_};
    const auto file = file_of(ticket);
    if (!file || files_[*file].settled) return;
    if (++files_[*file].wrong[k_whole_file] >= k_most_wrong) {
        wrong_locked(*file, k_whole_file);
        return;
    }
    ready_.push_back({PushWork::Kind::probe, {*file}});
    moved_.notify_all();
}

void PushState::part_gone(std::uint64_t ticket) {
    const std::lock_guard lock{mutex_};
    const auto file = file_of(ticket);
    if (!file || files_[*file].settled) return;
    ready_.push_back({PushWork::Kind::find, {*file}});
    moved_.notify_all();
}

void PushState::changed_here(std::size_t file) {
    const std::lock_guard lock{mutex_};
    if (files_[file].settled) return;
    outcome_.changed.push_back(items_[file].source);
    settle_locked(file);
}

void PushState::stop(Error error) {
    const std::lock_guard lock{mutex_};
    if (!outcome_.stopped && unsettled_ > 0) outcome_.stopped = std::move(error);
    moved_.notify_all();
}

void PushState::settle_locked(std::size_t file) {
    if (files_[file].settled) return;
    files_[file].settled = true;
    --unsettled_;
    moved_.notify_all();
}

void PushState::advance_locked(std::uint64_t bytes) {
    done_bytes_ += bytes;
    activity_.advance_to(done_bytes_);
}

bool PushState::keep(const Link& link) {
    const std::lock_guard lock{mutex_};
    if (outcome_.link || outcome_.stopped) return false;
    outcome_.link = link;
    return true;
}

PushOutcome PushState::outcome() {
    const std::lock_guard lock{mutex_};
    return outcome_;
}

void PushState::reconnected() {
    const std::lock_guard lock{mutex_};
    ++outcome_.tally.reconnects;
}

void PushState::add_wire(const agent::Traffic& traffic) {
    const std::lock_guard lock{mutex_};
    add(outcome_.tally.wire, traffic);
}

}  // namespace drawhitch::flow
