#include "flow/cp_private.hpp"

#include <algorithm>
#include <utility>

#include "core/exchange/copied_json.hpp"
#include "core/judge/box_path.hpp"
#include "core/proto/limits.hpp"
#include "flow/root_mark.hpp"
#include "io/agent/agent.hpp"
#include "io/ledger/ledger.hpp"

namespace drawhitch::flow {

namespace {

// The helpers of the connections that were closed a moment ago hold it until they notice.
constexpr int k_most_tries = 20;
constexpr milliseconds k_pause{100};

Result<bool> earlier_cp_made_it(const Op& op, const ledger::Ledger& ledger, std::int64_t lease,
                                const std::string& directory) {
    bool made = false;
    for (std::int64_t after = 0;;) {
        TRY(op.check());
        TRY_ASSIGN(const auto events, ledger.events(lease, after));
        if (events.empty()) return made;
        for (const ledger::Event& event : events)
            if (event.kind == exchange::k_writing_event && exchange::writing_of(event.json) == directory)
                made = exchange::makes_private(event.json);
        after = events.back().id;
    }
}

Result<bool> is_known_root(const ledger::Ledger& ledger, const std::string& directory) {
    TRY_ASSIGN(const auto leases, ledger.leases(ledger::Which::all));
    const std::string clean = judge::clean_box_path(directory);
    return std::ranges::any_of(leases, [&](const model::Lease& lease) {
        return !lease.root.empty() && judge::clean_box_path(lease.root) == clean;
    });
}

}  // namespace

std::vector<std::string> private_names() {
    return {proto::k_private_dir, "lease-nonce"};
}

Result<bool> makes_private(const Op& op, Deps& deps, std::int64_t lease, const std::string& directory,
                           std::span<const proto::FileEntry> found) {
    TRY_ASSIGN(const bool known, is_known_root(deps.ledger, directory));
    if (known) return false;
    const auto is_there = [](const proto::FileEntry& entry) { return entry.type != proto::FileType::unknown; };
    if (found.empty()) return true;
    if (found.size() != 2 || is_there(found[1])) return false;
    if (!is_there(found[0])) return true;
    return earlier_cp_made_it(op, deps.ledger, lease, directory);
}

void remove_private(const Op& op, Link link, const Dial& dial) {
    Status removed = ok();
    for (int tries = 1; tries <= k_most_tries; ++tries) {
        removed = link.agent->remove(op, *link.claim, proto::k_private_dir, false);
        if (removed || removed.error().code != Code::locked) break;
        op.clock.sleep(k_pause, op.cancel);
    }
    if (removed || removed.error().code != Code::link_lost) return;
    link = {};
    const auto again = dial(op);
    if (again && again->claim) (void)again->agent->remove(op, *again->claim, proto::k_private_dir, false);
}

}  // namespace drawhitch::flow
