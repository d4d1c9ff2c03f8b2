// EarlyLinks: further connections of a transfer, made beside the first one, which still has to find out what is to be
// moved. A far box takes a dozen round trips to answer, whoever asks: these are spent meanwhile. None of them shows a
// key before the first one was let in: a key that the box does not take is refused once.
#pragma once

#include <condition_variable>
#include <list>
#include <mutex>
#include <optional>
#include <thread>

#include "base/cancel.hpp"
#include "flow/transfer/link.hpp"

namespace drawhitch::flow {

class EarlyLinks {
  public:
    // What `op` refers to outlives it. `early` makes a connection beside the first; it is called from threads of its
    // own.
    EarlyLinks(Op op, Dial early) : op_(op), early_(std::move(early)) {}
    EarlyLinks(const EarlyLinks&) = delete;
    EarlyLinks& operator=(const EarlyLinks&) = delete;
    // What is still being made gets a moment to log in: a server may take one that breaks off for an attack (OpenSSH's
    // PerSourcePenalties). It gets none after a cancel, and where the first was not let in.
    ~EarlyLinks();

    // Begins beside the first one what a transfer is to have, `wanted` in all, as far as a server takes so many that
    // were not let in yet. Later calls add none.
    void begin(int wanted);
    // The first connection was let in.
    void let_in();
    // What `early` waits for before it shows a key. An Error when all is over before.
    Status turn(const Op& op);

    // One of those that were begun: waits for it. Nothing when none is left, or when one was lost or found the box
    // otherwise than expected: the caller makes its own then. An Error is a refusal (by the server, of the key) or the
    // op's.
    Result<std::optional<Link>> take(const Op& op);

  private:
    struct Attempt {
        std::thread thread{};
        std::optional<Result<Link>> outcome{};
        bool over{false};   // it has its outcome, which may be taken
        bool taken{false};  // or of no use
    };
    void make(Attempt& attempt);
    void keep(Attempt& attempt, std::unique_lock<std::mutex>& lock);
    static bool lives(const Op& op, Attempt& attempt);
    void drop(Attempt& attempt);
    [[nodiscard]] Attempt* ready();
    [[nodiscard]] std::size_t unclaimed() const;

    Op op_;
    Dial early_;
    Cancel end_{&op_.cancel};
    std::mutex mutex_{};
    std::condition_variable changed_{};
    std::list<Attempt> attempts_{};  // begun once; elements stay where they are
    std::size_t waiting_{0};         // takers without one
    bool let_in_{false};
    bool ending_{false};
};

}  // namespace drawhitch::flow
