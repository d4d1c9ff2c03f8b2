#include "flow/transfer/fence.hpp"

#include <chrono>
#include <utility>

namespace drawhitch::flow {

namespace {

// How soon a cancel is noticed by one that waits for another's claim.
constexpr milliseconds k_turn_looks{50};
// Each loss raises the epoch once more, so a claim may come too late more than once; no push loses so many at a time.
constexpr int k_most_turns = 32;

}  // namespace

Result<std::uint64_t> Fence::turn(const Op& op) {
    std::unique_lock lock{mutex_};
    while (raising_) {
        turned_.wait_for(lock, k_turn_looks);
        TRY(op.check());
    }
    if (!raise_) return epoch_;
    raise_ = false;  // a loss from now on needs a raise of its own
    raising_ = true;
    return std::uint64_t{0};
}

void Fence::raised(const Result<agent::Claim>& claim) {
    const std::lock_guard lock{mutex_};
    raising_ = false;
    if (claim) {
        epoch_ = claim->epoch;
    } else {
        raise_ = true;
    }
    turned_.notify_all();
}

Result<agent::Claim> Fence::claim(const Op& op, const Ask& ask) {
    for (int turns = 1;; ++turns) {
        agent::ClaimOptions wish = wish_;
        TRY_ASSIGN(wish.epoch, turn(op));
        auto claim = ask(wish);
        if (wish.epoch == 0) raised(claim);
        if (claim || wish.epoch == 0 || turns == k_most_turns) return claim;
        const std::lock_guard lock{mutex_};
        if (epoch_ == wish.epoch && !raising_ && !raise_) return claim;
    }
}

Result<std::optional<agent::Claim>> Fence::claim_again(const Op& op, const agent::Claim& old, const Ask& ask) {
    {
        std::unique_lock lock{mutex_};
        while (raising_) {
            turned_.wait_for(lock, k_turn_looks);
            TRY(op.check());
        }
        if (epoch_ == old.epoch && !raise_) return std::optional<agent::Claim>{};
    }
    TRY_ASSIGN(const agent::Claim claim, this->claim(op, ask));
    return std::optional{claim};
}

bool Fence::outdated(const agent::Claim& claim) {
    const std::lock_guard lock{mutex_};
    return raise_ || raising_ || claim.epoch != epoch_;
}

void Fence::lost() {
    const std::lock_guard lock{mutex_};
    raise_ = raise_ || raising_ || epoch_ != 0;
    turned_.notify_all();
}

}  // namespace drawhitch::flow
