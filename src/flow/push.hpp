// push: puts the project's code on the box as an immutable release, proven equal on both sides, and makes it current.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flow/deps.hpp"
#include "flow/local_tree.hpp"
#include "flow/transfer/link.hpp"

namespace drawhitch::flow {

// Names below the lease's root. `current` holds the hash of the release in force and a newline; `latest` is a symlink
// to its directory, where links work.
inline constexpr std::string_view k_releases = "releases";
// A release by its name (its hash, or that of one kept aside), relative to the root.
std::string release_path(std::string_view name);
inline constexpr std::string_view k_current = "current";
inline constexpr std::string_view k_latest = "latest";

struct PushOptions {
    std::string box{};
    bool fix_eol{false};
    bool as_before{false};                    // repair also what the lease's last push repaired
    std::optional<std::uint64_t> max_size{};  // of the whole, instead of the project's limits
    bool rehash{false};                       // the box reads its release anew when nothing seems to be to do
};

// A directory below `releases` that was to go, and holds more than was deployed, or other contents.
struct KeptRelease {
    std::string directory{};  // absolute on the box
    std::uint64_t bytes{0};
    std::string why{};  // which files, a few of them named
};

struct PushReport {
    std::string hash{};       // of the release, 64 hex digits
    bool up_to_date{false};   // it was current already, and proven so on the box
    bool planned{false};      // --dry-run: nothing was sent, and no connection made
    std::string directory{};  // of the release on the box, absolute
    LocalTree tree{};
    bool fixed_as_before{false};  // repaired only because the last push did
    std::uint64_t sent_files{0};
    std::uint64_t sent_bytes{0};
    std::uint64_t linked_files{0};
    std::vector<std::string> pruned{};  // hashes of releases removed
    std::vector<KeptRelease> kept{};    // warned of already
    Wire wire{};
};

// Code::usage when the user declines the size, or cannot be asked. Code::unsafe_path for a root that must not be used,
// before anything is sent. Code::integrity when the finished tree differs from ours: `current` stays as it was. An
// interrupted push leaves a staging directory that the next one finishes. A release of the same name that was changed
// on the box is set aside, and removed only if nothing but what was deployed would be lost.
Result<PushReport> push(const Op& op, Deps& deps, const PushOptions& options);

// The hash of the release that is current on the box; empty if none is.
Result<std::string> current_release(const Op& op, agent::Agent& agent, proto::RootId root);

}  // namespace drawhitch::flow
