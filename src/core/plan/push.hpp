// Planning a push: how the wanted tree is made in a staging directory on the box out of what lies there already. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "core/proto/file_entry.hpp"

namespace drawhitch::plan {

// How the box must be changed, in this order. Paths of the tree are relative to it; `from` is relative to the root.
struct PushPlan {
    std::vector<std::string> remove{};       // in the staging directory: not wanted, or not as wanted; recursive
    std::vector<std::string> directories{};  // empty ones: the others come with their files
    struct Link {
        std::string path{};
        std::string from{};
    };
    std::vector<Link> links{};  // contents that an earlier release has, with the same execute bit
    struct Symlink {
        std::string path{};
        std::string target{};
    };
    std::vector<Symlink> symlinks{};
    std::vector<std::size_t> send{};  // indexes of wanted files
    std::uint64_t send_bytes{0};
    std::uint64_t link_bytes{0};
    std::uint64_t staged_bytes{0};  // there already from an earlier attempt
};

// `wanted`: directories, files with their root digests, symlinks, in scan order. `staged`: what an earlier attempt
// left, relative to the staging directory, digests included. `earlier`: files of finished releases, relative to the
// root. Without `hard_links` everything missing is sent.
PushPlan plan_push(std::span<const proto::FileEntry> wanted, std::span<const proto::FileEntry> staged,
                   std::span<const proto::FileEntry> earlier, bool hard_links);

// A directory on the box that may hold releases: absolute, and neither "/", a first-level directory, the home directory
// or above it, nor with "." or ".." components. Code::unsafe_path says which rule it breaks.
Status check_box_root(std::string_view root, std::string_view home);

// Which releases may go: all of `present` but `current`, those in `needed` (runs that live or are not proven), and the
// `keep` newest. Only names that are 64 hex digits are ever returned. `present` is name and age order: newest first.
std::vector<std::string> releases_to_prune(std::span<const std::string> present, std::string_view current,
                                           std::span<const std::string> needed, std::size_t keep);

}  // namespace drawhitch::plan
