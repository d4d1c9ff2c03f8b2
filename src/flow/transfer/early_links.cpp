#include "flow/transfer/early_links.hpp"

#include <algorithm>
#include <chrono>

#include "flow/transfer/limits.hpp"

namespace drawhitch::flow {

namespace {

// How soon a cancel is noticed by who waits.
constexpr milliseconds k_taker_looks{20};
// A helper that hears nothing for 30 s ends; pings are due every few seconds.
constexpr milliseconds k_sign_of_life{1000};
// From the first packet to being let in: seven round trips of a path of 150 ms.
constexpr milliseconds k_let_finish{1000};

// What whoever wants one now would meet as well. One that was lost tells of the past only.
bool is_refusal(const Error& error) {
    return error.code == Code::refused || error.code == Code::no_banner || error.code == Code::limits ||
           error.code == Code::auth || error.code == Code::host_key;
}

}  // namespace

void EarlyLinks::begin(int wanted) {
    const std::lock_guard lock{mutex_};
    if (!attempts_.empty() || ending_) return;
    for (int i = 1; i < std::min(wanted, k_most_at_the_door); ++i) {
        Attempt& attempt = attempts_.emplace_back();
        attempt.thread = std::thread{[this, &attempt] { make(attempt); }};
    }
}

void EarlyLinks::let_in() {
    const std::lock_guard lock{mutex_};
    let_in_ = true;
    changed_.notify_all();
}

Status EarlyLinks::turn(const Op& op) {
    std::unique_lock lock{mutex_};
    while (!let_in_ && !ending_ && op.check())
        changed_.wait_for(lock, k_taker_looks);
    TRY(op.check());
    return let_in_ ? ok() : Status{Error{Code::cancelled, "the first connection was not let in"}};
}

void EarlyLinks::make(Attempt& attempt) {
    const Op op{end_, op_.clock, op_.events, op_.deadline};
    auto link = early_(op);
    std::unique_lock lock{mutex_};
    if (link || is_refusal(link.error())) {
        attempt.outcome.emplace(std::move(link));
    } else {
        attempt.taken = true;
    }
    attempt.over = true;
    changed_.notify_all();
    keep(attempt, lock);
}

// Until it is taken, the box must hear from us.
void EarlyLinks::keep(Attempt& attempt, std::unique_lock<std::mutex>& lock) {
    const Op op{end_, op_.clock, op_.events, op_.deadline};
    while (!attempt.taken && !ending_) {
        if (!lives(op, attempt)) {
            drop(attempt);
            return;
        }
        changed_.wait_for(lock, k_sign_of_life);
    }
}

bool EarlyLinks::lives(const Op& op, Attempt& attempt) {
    if (!attempt.outcome || !*attempt.outcome) return true;  // an error keeps
    return (**attempt.outcome).agent->session().keep_alive(op).has_value();
}

void EarlyLinks::drop(Attempt& attempt) {
    attempt.taken = true;
    attempt.outcome.reset();
    changed_.notify_all();
}

EarlyLinks::Attempt* EarlyLinks::ready() {
    const auto found =
        std::ranges::find_if(attempts_, [](const Attempt& attempt) { return attempt.over && !attempt.taken; });
    return found == attempts_.end() ? nullptr : &*found;
}

std::size_t EarlyLinks::unclaimed() const {
    return static_cast<std::size_t>(std::ranges::count(attempts_, false, &Attempt::taken));
}

Result<std::optional<Link>> EarlyLinks::take(const Op& op) {
    std::unique_lock lock{mutex_};
    ++waiting_;
    Attempt* found = ready();
    while (op.check()) {
        if (found != nullptr && !lives(op, *found)) {
            drop(*found);
        } else if (found != nullptr || unclaimed() < waiting_) {
            break;
        } else {
            changed_.wait_for(lock, k_taker_looks);
        }
        found = ready();
    }
    --waiting_;
    TRY(op.check());
    if (found == nullptr) return std::optional<Link>{};
    found->taken = true;
    Result<Link> link = std::move(*found->outcome);
    found->outcome.reset();
    changed_.notify_all();
    if (!link) return std::move(link).error();
    return std::optional<Link>{std::move(*link)};
}

EarlyLinks::~EarlyLinks() {
    std::unique_lock lock{mutex_};
    ending_ = true;
    changed_.notify_all();
    const Instant latest = op_.clock.now() + k_let_finish;
    const auto all_over = [this] { return std::ranges::all_of(attempts_, &Attempt::over); };
    while (let_in_ && !all_over() && op_.check() && op_.clock.now() < latest)
        changed_.wait_for(lock, k_taker_looks);
    end_.request();
    lock.unlock();
    for (Attempt& attempt : attempts_)
        attempt.thread.join();
}

}  // namespace drawhitch::flow
