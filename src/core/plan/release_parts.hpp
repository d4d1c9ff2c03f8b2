// Which part of a release's directory on a box is the release: what was deployed, as the ledger keeps it, against what
// lies there now. Pure. Decides nothing about removal; whoever removes or destroys asks here first.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/proto/file_entry.hpp"

namespace drawhitch::plan {

// Files and symlinks with their kinds, execute bits and digests, as text. Empty when it would be longer than a ledger
// should carry (8 MiB): then only the release's hash is known of it.
std::string manifest_text(std::span<const proto::FileEntry> entries);
// What manifest_text wrote; nothing if the text is none, or does not hash to `hash`.
std::optional<std::vector<proto::FileEntry>> read_manifest(std::string_view text, const proto::Digest& hash);

// Paths relative to the release. Directories hold nothing by themselves and are left out, unless nobody could look into
// them; so are caches that any interpreter makes anew (`__pycache__`).
struct ReleaseDifference {
    std::vector<std::string> foreign{};  // nothing of that name was deployed
    std::vector<std::string> edited{};   // deployed, and now of another kind, size, execute bit or content
    std::vector<std::string> missing{};
    // Whether removing the directory loses nothing but what was deployed.
    [[nodiscard]] bool loses_nothing() const { return foreign.empty() && edited.empty(); }
    [[nodiscard]] bool none() const { return loses_nothing() && missing.empty(); }
    bool operator==(const ReleaseDifference&) const = default;
};

// `found` has digests, or none at all: then equal sizes pass for equal contents.
ReleaseDifference compare_release(std::span<const proto::FileEntry> deployed, std::span<const proto::FileEntry> found,
                                  bool digests);

// Whether `found`, with digests, is the tree that `hash` names, caches aside: what can be said without a manifest.
bool is_whole_release(std::span<const proto::FileEntry> found, const proto::Digest& hash);

// "a.py was edited, b.pt and 3 others are not of it": the first few names. Empty for no difference.
std::string describe(const ReleaseDifference& difference);

}  // namespace drawhitch::plan
