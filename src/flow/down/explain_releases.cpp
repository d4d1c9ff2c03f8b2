#include "flow/down/explain_releases.hpp"

#include <algorithm>
#include <string>

#include "flow/down/run_standing.hpp"
#include "flow/push.hpp"
#include "flow/release_look.hpp"
#include "io/ledger/ledger.hpp"

namespace drawhitch::flow {

namespace {

Result<std::vector<std::string>> names_of_releases(const Op& op, agent::Agent& agent, proto::RootId root) {
    std::vector<std::string> names{};
    proto::Scan scan{};
    scan.root = root;
    scan.subtrees = {std::string{k_releases}};
    scan.depth = 1;
    TRY(agent.scan(op, scan, [&](proto::FileEntry&& entry) -> Status {
        if (entry.type == proto::FileType::directory && entry.path.size() > k_releases.size() + 1)
            names.push_back(entry.path.substr(k_releases.size() + 1));
        return ok();
    }));
    return names;
}

// What may be called a release, and what the ledger knows to be in it. No hash for anything else.
Result<ReleasePlace> place_of(const ledger::Ledger& ledger, const std::vector<std::int64_t>& leases,
                              const std::string& name) {
    ReleasePlace place{0, name, hash_of_release_name(name), {}, true};
    for (const std::int64_t lease : leases) {
        std::string hash = place.hash;
        if (name == k_staging_name) {
            TRY_ASSIGN(hash, staged_hash(ledger, lease));
        }
        if (hash.empty()) continue;
        TRY_ASSIGN(auto manifest, known_manifest(ledger, lease, hash));
        if (!manifest) continue;
        place.hash = hash;
        place.manifest = std::move(manifest);
        break;
    }
    return place;
}

}  // namespace

Status explain_releases(const Op& op, Deps& deps, BoxRoots& roots, const model::Lease& lease,
                        const std::vector<std::int64_t>& leases, judge::Explanations& why) {
    if (lease.root.empty()) return ok();
    const auto endures = [](const Error& error) { return !ends_the_look(error); };
    const auto root = roots.open(op, lease.root);
    if (!root) return endures(root.error()) ? ok() : Status{root.error()};
    const auto names = names_of_releases(op, roots.agent(), *root);
    if (!names) return endures(names.error()) ? ok() : Status{names.error()};
    for (const std::string& name : *names) {
        TRY(op.check());
        TRY_ASSIGN(ReleasePlace place, place_of(deps.ledger, leases, name));
        if (place.hash.empty()) continue;
        place.root = *root;
        const auto look = look_at_release(op, roots.agent(), place);
        if (!look && !endures(look.error())) return look.error();
        if (!look) continue;
        for (const proto::FileEntry& entry : look->deployed)
            why.files[lease.root + "/" + release_path(name) + "/" + entry.path] = judge::Explained::release;
    }
    return ok();
}

}  // namespace drawhitch::flow
