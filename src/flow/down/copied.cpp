#include "flow/down/copied.hpp"

#include <map>
#include <set>
#include <string>

#include "core/exchange/copied_json.hpp"
#include "core/judge/box_path.hpp"
#include "flow/down/run_standing.hpp"
#include "io/ledger/ledger.hpp"

namespace drawhitch::flow {

namespace {

// A request is one control frame; the paths must fit well inside.
constexpr std::size_t k_paths_per_request = 256U << 10U;

using Place = std::map<std::string, std::set<std::string>>::const_iterator;

// As many of the paths as fit into one request, from `next` on; those that survive need no explanation.
std::vector<std::string> some_paths(const Copied& copied, const judge::TierMap& tiers, Place& next) {
    std::vector<std::string> paths{};
    for (std::size_t bytes = 0; next != copied.roots.end() && bytes < k_paths_per_request; ++next) {
        if (judge::clean_box_path(next->first) != next->first || !tiers.dies(next->first)) continue;
        bytes += next->first.size() + 8;
        paths.push_back(next->first.substr(1));
    }
    return paths;
}

// Those that still have the content that was copied.
Status compare(const Op& op, BoxRoots& roots, const Copied& copied, std::vector<std::string> paths,
               judge::Explanations& why) {
    const auto top = roots.open(op, "/");
    if (!top) return ends_the_look(top.error()) ? Status{top.error()} : ok();
    proto::Scan scan{};
    scan.root = *top;
    scan.digests = true;
    scan.rehash = true;  // nothing remembered decides about destruction
    scan.subtrees = std::move(paths);
    const auto end = roots.agent().scan(op, scan, [&](proto::FileEntry&& entry) -> Status {
        const auto known = copied.roots.find("/" + entry.path);
        const bool same = known != copied.roots.end() && entry.type == proto::FileType::file && entry.root &&
                          known->second.contains(entry.root->hex());
        if (same) why.files.emplace(known->first, judge::Explained::copied);
        return ok();
    });
    return !end && ends_the_look(end.error()) ? Status{end.error()} : ok();
}

}  // namespace

Result<Copied> read_copied(const Op& op, Deps& deps, const std::vector<std::int64_t>& leases) {
    Copied copied{};
    for (const std::int64_t lease : leases) {
        std::int64_t after = 0;
        for (;;) {
            TRY(op.check());
            TRY_ASSIGN(const auto events, deps.ledger.events(lease, after));
            if (events.empty()) break;
            for (const ledger::Event& event : events) {
                if (event.kind == exchange::k_writing_event) copied.written.insert(exchange::writing_of(event.json));
                if (event.kind != exchange::k_copied_event) continue;
                for (exchange::CopiedEntry& file : exchange::copied_of(event.json))
                    copied.roots[file.path].insert(std::move(file.root));
            }
            after = events.back().id;
        }
    }
    return copied;
}

Status explain_copied(const Op& op, BoxRoots& roots, const judge::TierMap& tiers, const Copied& copied,
                      judge::Explanations& why) {
    for (const std::string& place : copied.written)
        if (!place.empty()) why.written.push_back(place);
    for (Place next = copied.roots.begin(); next != copied.roots.end();) {
        std::vector<std::string> paths = some_paths(copied, tiers, next);
        if (!paths.empty()) TRY(compare(op, roots, copied, std::move(paths), why));
    }
    return ok();
}

}  // namespace drawhitch::flow
