#include "flow/same_machine.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "io/ledger/ledger.hpp"

namespace drawhitch::flow {

Result<bool> same_machine(const ledger::Ledger& ledger, const model::Lease& one, const model::Lease& other) {
    using model::TransportKind;
    const bool local = one.endpoint.transport == TransportKind::local;
    if (local != (other.endpoint.transport == TransportKind::local)) return false;
    if (local) return true;
    TRY_ASSIGN(const auto ours, ledger.host_keys(one.id));
    TRY_ASSIGN(const auto theirs, ledger.host_keys(other.id));
    return std::ranges::any_of(ours, [&](const model::HostKey& key) {
        return std::ranges::any_of(theirs, [&](const model::HostKey& old) { return old.blob == key.blob; });
    });
}

namespace {

bool same_root(const model::Lease& one, const model::Lease& other) {
    return !one.root_nonce.empty() && one.root_nonce == other.root_nonce;
}

}  // namespace

Result<std::string> others_there(const ledger::Ledger& ledger, const model::Lease& lease) {
    TRY_ASSIGN(const auto leases, ledger.leases(ledger::Which::open));
    std::vector<std::string> told;
    for (const model::Lease& other : leases) {
        if (other.id == lease.id) continue;
        TRY_ASSIGN(const bool same, same_machine(ledger, lease, other));
        if (!same && !same_root(lease, other)) continue;
        TRY_ASSIGN(const auto runs, ledger.runs(other.id));
        std::vector<std::string> live;
        for (const model::Run& run : runs)
            if (!model::is_terminal(run.verdict.kind)) live.push_back(printable(run.spec.name));
        told.push_back("lease " + printable(other.name) + " of project " + printable(other.project) +
                       (live.empty() ? ", without live runs" : ", with " + join(live, ", ")));
    }
    return join(told, "; ");
}

}  // namespace drawhitch::flow
