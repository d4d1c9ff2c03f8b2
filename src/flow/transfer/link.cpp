#include "flow/transfer/link.hpp"

#include <chrono>

#include "base/random.hpp"

namespace drawhitch::flow {

bool is_worth_reconnecting(const Error& error) {
    if (error.retry == Retry::reconnect) return true;
    switch (error.code) {
        case Code::dns:
        case Code::refused:
        case Code::connect_timeout:
        case Code::no_banner:
        case Code::limits:
        case Code::link_lost:
        case Code::stalled:
        case Code::timed_out:
            return true;
        case Code::usage:
        case Code::config:
        case Code::not_trusted:
        case Code::not_found:
        case Code::exists:
        case Code::host_key:
        case Code::auth:
        case Code::key_permissions:
        case Code::key_unusable:
        case Code::shell_missing:
        case Code::noexec:
        case Code::remote_failed:
        case Code::protocol:
        case Code::changed:
        case Code::unsafe_path:
        case Code::permission:
        case Code::no_space:
        case Code::no_inodes:
        case Code::read_only:
        case Code::integrity:
        case Code::gate_closed:
        case Code::skipped:
        case Code::unhealthy:
        case Code::provider:
        case Code::unconfirmed:
        case Code::job_failed:
        case Code::job_stalled:
        case Code::local_io:
        case Code::ledger:
        case Code::locked:
        case Code::deadline:
        case Code::cancelled:
        case Code::internal:
            return false;
    }
    return false;
}

namespace {

// Waits before the next attempt; the failure itself when there is none.
Status back_off(const Op& op, const Persistence& persistence, int attempt, Error failure) {
    if (!is_worth_reconnecting(failure) || attempt >= persistence.policy.max_attempts) return failure;
    const milliseconds wait = next_delay(persistence.policy, attempt, std::nullopt, random_u64());
    op.note(failure.message + "; connecting again in " + human_duration(std::chrono::ceil<std::chrono::seconds>(wait)));
    op.clock.sleep(wait, op.cancel);
    return op.check();
}

}  // namespace

Status keep_linked(const Op& op, const Dial& dial, const Persistence& persistence, std::optional<Link> link,
                   LinkedWork& work) {
    bool was_linked = link.has_value();
    int attempt = 0;
    while (!work.over()) {
        Status done = ok();
        if (!link) {
            auto dialled = dial(op);
            if (dialled) {
                link = std::move(*dialled);
                if (was_linked) work.relinked();
                was_linked = true;
            } else {
                done = std::move(dialled).error();
            }
        }
        if (link) {
            done = work.serve(op, *link);
            if (work.unlinked(link->agent->session().traffic())) attempt = 0;
            link.reset();
        }
        if (done) continue;
        if (!was_linked) return done;
        TRY(back_off(op, persistence, ++attempt, std::move(done).error()));
    }
    return ok();
}

Result<Looked> look_linked(const Op& op, const Dial& dial, const Persistence& persistence, std::optional<Link> link,
                           const Look& look) {
    Looked looked{};
    bool was_linked = link.has_value();
    for (int attempt = 1;; ++attempt) {
        Status done = ok();
        if (!link) {
            auto dialled = dial(op);
            // An answer that broke off says less than one that was refused, but a second and third like it are enough.
            const bool begun = was_linked || (!dialled && dialled.error().code == Code::link_lost && attempt < 3);
            if (!dialled && !begun) return std::move(dialled).error();
            if (dialled) {
                link = std::move(*dialled);
                if (was_linked) ++looked.reconnects;
                was_linked = true;
            } else {
                done = std::move(dialled).error();
            }
        }
        if (link) {
            done = look(op, *link);
            if (done) {
                looked.link = std::move(*link);
                return looked;
            }
            add(looked.lost, link->agent->session().traffic());
            link.reset();
        }
        TRY(back_off(op, persistence, attempt, std::move(done).error()));
    }
}

void add(Wire& total, const agent::Traffic& traffic) {
    total.sent += traffic.sent;
    total.received += traffic.received;
    ++total.connections;
}

void add(Wire& total, const Wire& more) {
    total.sent += more.sent;
    total.received += more.received;
    total.connections += more.connections;
}

Error broken_helper(std::string what) {
    return Error{Code::protocol, "the helper " + std::move(what)};
}

}  // namespace drawhitch::flow
