#include "flow/release_prune.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "base/text.hpp"
#include "core/plan/push.hpp"
#include "flow/release_look.hpp"
#include "io/ledger/ledger.hpp"

namespace drawhitch::flow {

namespace {

constexpr std::size_t k_kept_releases = 3;

class Prune {
  public:
    Prune(const Op& op, ledger::Ledger& ledger, const model::Lease& lease, Link& link, PushReport& report)
        : op_(op), ledger_(ledger), lease_(lease), link_(link), report_(report) {}

    Status go() {
        TRY(list());
        TRY_ASSIGN(const auto runs, ledger_.runs(lease_.id));
        std::vector<std::string> needed;
        for (const model::Run& run : runs)
            needed.push_back(run.spec.code_hash);
        for (const std::string& name : aside_)
            TRY(remove_unless_strange(name));
        for (const std::string& name : plan::releases_to_prune(present_, report_.hash, needed, k_kept_releases))
            TRY(remove_unless_strange(name));
        return ok();
    }

  private:
    // What lies there that the ledger says we made: only that is ever removed.
    Status list() {
        std::vector<std::pair<std::int64_t, std::string>> found;
        proto::Scan scan{};
        scan.root = link_.root;
        scan.subtrees = {std::string{k_releases}};
        scan.depth = 1;
        TRY(link_.agent->scan(op_, scan, [&](proto::FileEntry&& entry) -> Status {
            if (entry.type == proto::FileType::directory && entry.path.size() > k_releases.size() + 1)
                found.emplace_back(entry.ctime_ns, entry.path.substr(k_releases.size() + 1));
            return ok();
        }));
        std::sort(found.rbegin(), found.rend());
        for (auto& [age, name] : found) {
            const std::string hash = hash_of_release_name(name);
            if (hash.empty()) continue;
            TRY_ASSIGN(const auto ours, ledger_.note(lease_.id, release_note(hash)));
            if (!ours) continue;
            (name == hash ? present_ : aside_).push_back(std::move(name));
        }
        return ok();
    }

    Status remove_unless_strange(const std::string& name) {
        const std::string hash = hash_of_release_name(name);
        ReleasePlace place{link_.root, name, hash, {}, false};
        TRY_ASSIGN(place.manifest, known_manifest(ledger_, lease_.id, hash));
        TRY_ASSIGN(const ReleaseLook look, look_at_release(op_, *link_.agent, place));
        if (!look.there) return ok();
        if (!look.loses_nothing) {
            keep(name, look);
            return ok();
        }
        TRY(link_.agent->remove(op_, *link_.claim, release_path(name), true));
        if (name != hash) return ok();
        report_.pruned.push_back(name);
        const bool described_still =
            std::ranges::any_of(aside_, [&](const std::string& other) { return hash_of_release_name(other) == hash; });
        return described_still ? ok() : forget_manifest(ledger_, lease_.id, hash);
    }

    void keep(const std::string& name, const ReleaseLook& look) {
        KeptRelease kept{lease_.root + "/" + release_path(name), look.bytes, {}};
        kept.why = look.known ? plan::describe(look.difference) : "it is not what its name says";
        op_.warn("kept " + printable(kept.directory) + " on the box (" + human_bytes(kept.bytes) + "): " + kept.why +
                 "; `drawhitch cp " + shell_word(lease_.name + ":" + kept.directory) + " .` brings it here");
        report_.kept.push_back(std::move(kept));
    }

    const Op& op_;
    ledger::Ledger& ledger_;
    const model::Lease& lease_;
    Link& link_;
    PushReport& report_;
    std::vector<std::string> present_{};  // newest first
    std::vector<std::string> aside_{};
};

}  // namespace

std::string release_note(const std::string& hash) {
    return "release." + hash;
}

Status prune_releases(const Op& op, ledger::Ledger& ledger, const model::Lease& lease, Link& link, PushReport& report) {
    return Prune{op, ledger, lease, link, report}.go();
}

}  // namespace drawhitch::flow
