#include "flow/transfer/crew.hpp"

#include <algorithm>

#include "flow/transfer/limits.hpp"

namespace drawhitch::flow {

namespace {

// How soon a cancel or a change is noticed; the end wakes at once.
constexpr milliseconds k_look_every{20};
constexpr int k_most_racing = 2;

}  // namespace

void Crew::work(const Op& op, std::optional<Link> first) {
    // Whoever still waits for an answer when all is over need not wait for it.
    Cancel end{&op.cancel};
    const Op theirs{end, op.clock, op.events, op.deadline};
    add(theirs, std::move(first));
    while (!shared_.over()) {
        shared_.wait_over(k_look_every);
        if (const Status status = op.check(); !status) shared_.stop(status.error());
        if (!shared_.over()) look(op, theirs);
    }
    end.request();
    for (const auto& member : members_)
        member->thread.join();
}

void Crew::add(const Op& op, std::optional<Link> link) {
    members_.push_back(std::make_unique<Member>());
    Seat& seat = members_.back()->seat;
    seat.reserve = members_.size() > 1;
    ++alive_;
    members_.back()->thread = std::thread{
        [this, op, &seat, link = std::move(link)]() mutable { ended(op, seat, serve_(op, std::move(link), seat)); }};
}

// As long as another connection works, one that cannot be had is no reason to give up, whatever it is refused for.
void Crew::ended(const Op& op, Seat& seat, const Status& how) {
    seat.ended = true;
    const bool last = --alive_ == 0;
    if (how || op.cancel.requested()) return;
    refused_ = true;
    if (last || (seat.linked && !is_worth_reconnecting(how.error()))) shared_.stop(how.error());
}

void Crew::look(const Op& op, const Op& theirs) {
    const std::int64_t now = op.clock.now().time_since_epoch().count();
    std::uint64_t moved = 0;
    int at_work = 0;
    int there = 0;
    int linked = 0;
    int silent = 0;
    int held_back = 0;
    for (const auto& member : members_) {
        const Seat& seat = member->seat;
        moved += seat.moved;
        if (seat.ended) continue;
        ++there;
        size_.round_trip(seat.round_trip);
        const std::int64_t heard = seat.heard;
        if (heard == 0) continue;
        ++linked;
        if (seat.reserve) continue;
        ++at_work;
        if (seat.held_back) ++held_back;
        if (seat.waits && now - heard > k_silent) ++silent;
    }
    if (refused_) size_.refused(there);
    size_.look({now, at_work, held_back, moved, shared_.bytes_left()});
    const int racing = size_.most() > 1 && silent == at_work ? std::min(silent, k_most_racing) : 0;
    // Nobody goes back into reserve while one at work is silent.
    const int working = std::max(size_.working() + racing, silent > 0 ? at_work : 0);
    call_up(working, at_work);
    shared_.set_connections(static_cast<std::size_t>(std::min(working, there)));
    const int wanted = std::max(size_.wanted(), working);
    const int at_the_door = there - linked;
    for (int i = there; i < wanted && at_the_door + (i - there) < k_most_at_the_door; ++i)
        add(theirs, std::nullopt);
}

// Those that are there first work first; the others are the reserve.
void Crew::call_up(int wanted, int working) {
    for (const auto& member : members_) {
        Seat& seat = member->seat;
        if (working >= wanted) break;
        if (seat.ended || seat.heard == 0 || !seat.reserve) continue;
        seat.reserve = false;
        ++working;
    }
    for (auto member = members_.rbegin(); member != members_.rend() && working > wanted; ++member) {
        Seat& seat = (*member)->seat;
        if (seat.ended || seat.heard == 0 || seat.reserve) continue;
        seat.reserve = true;
        --working;
    }
}

}  // namespace drawhitch::flow
