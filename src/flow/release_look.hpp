// ReleaseLook: what lies in a release's directory on a box, against what was deployed there. Reads only. Asked before a
// release is removed, replaced, started or given up with its box.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/op.hpp"
#include "core/plan/release_parts.hpp"
#include "io/agent/agent.hpp"

namespace drawhitch::ledger {
class Ledger;
}

namespace drawhitch::flow {

// The ledger keeps what each release holds as long as the box may have it.
Status remember_manifest(ledger::Ledger& ledger, std::int64_t lease, const std::string& hash,
                         const std::vector<proto::FileEntry>& entries);
Status forget_manifest(ledger::Ledger& ledger, std::int64_t lease, const std::string& hash);
using Manifest = std::optional<std::vector<proto::FileEntry>>;
Result<Manifest> known_manifest(const ledger::Ledger& ledger, std::int64_t lease, const std::string& hash);

// A push that finds something else under its release's name renames that to "kept-<hash>-<8 hex digits>".
std::string name_for_kept(const std::string& hash);
// The hash of the release that a name below `releases` is, or once was. Empty for any other name.
std::string hash_of_release_name(std::string_view name);

// Where a push builds. Which release it built there last, the ledger knows; empty when it does not.
inline constexpr std::string_view k_staging_name = ".staging";
Status remember_staged(ledger::Ledger& ledger, std::int64_t lease, const std::string& hash);
Result<std::string> staged_hash(const ledger::Ledger& ledger, std::int64_t lease);

struct ReleasePlace {
    proto::RootId root{0};
    std::string name{};  // below `releases`
    std::string hash{};  // what it should hash to
    Manifest manifest{};
    // Where a name or a size tells already that something strange is there, contents need not be read.
    bool contents_anyway{false};
};

struct ReleaseLook {
    bool there{false};
    bool known{false};                         // the manifest was; without it a difference has no names
    bool loses_nothing{false};                 // removing it loses nothing but what was deployed
    plan::ReleaseDifference difference{};      // of a known one
    std::vector<proto::FileEntry> deployed{};  // files as deployed, and caches; only with `contents_anyway`
    std::uint64_t bytes{0};                    // of all files
};

// Every byte is read again: nothing remembered decides about destruction. Code::permission for a directory that cannot
// be looked into.
Result<ReleaseLook> look_at_release(const Op& op, agent::Agent& agent, const ReleasePlace& place);

}  // namespace drawhitch::flow
