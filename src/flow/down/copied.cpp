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

struct Copied {
    std::map<std::string, std::set<std::string>> roots{};  // of each path, by its content
    std::set<std::string> written{};
};

Result<Copied> read_events(const Op& op, Deps& deps, const std::vector<std::int64_t>& leases) {
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

}  // namespace

Status explain_copied(const Op& op, Deps& deps, BoxRoots& roots, const judge::TierMap& tiers,
                      const std::vector<std::int64_t>& leases, judge::Explanations& why) {
    TRY_ASSIGN(const Copied copied, read_events(op, deps, leases));
    for (const std::string& place : copied.written)
        if (!place.empty()) why.written.push_back(place);
    for (auto next = copied.roots.begin(); next != copied.roots.end();) {
        proto::Scan scan{};
        scan.digests = true;
        scan.rehash = true;  // nothing remembered decides about destruction
        for (std::size_t bytes = 0; next != copied.roots.end() && bytes < k_paths_per_request; ++next) {
            if (judge::clean_box_path(next->first) != next->first || !tiers.dies(next->first)) continue;
            bytes += next->first.size() + 8;
            scan.subtrees.push_back(next->first.substr(1));
        }
        if (scan.subtrees.empty()) continue;
        const auto top = roots.open(op, "/");
        if (!top && ends_the_look(top.error())) return top.error();
        if (!top) return ok();
        scan.root = *top;
        const auto end = roots.agent().scan(op, scan, [&](proto::FileEntry&& entry) -> Status {
            const std::string path = "/" + entry.path;
            const auto known = copied.roots.find(path);
            const bool same = known != copied.roots.end() && entry.type == proto::FileType::file && entry.root &&
                              known->second.contains(entry.root->hex());
            if (same) why.files.emplace(path, judge::Explained::copied);
            return ok();
        });
        if (!end && ends_the_look(end.error())) return end.error();
    }
    return ok();
}

}  // namespace drawhitch::flow
