// Walker: the entries below some subtrees of a root, in scan order, one at a time; memory is that of the directories on
// the way down. Opens directories only, follows no symlink, enters no other device.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helper/root.hpp"

namespace drawhitch::helper {

// All names of a directory but "." and "..", sorted as unsigned bytes. `directory` may be O_PATH.
Outcome<std::vector<std::string>> list_names(int directory, std::string_view path);

struct WalkOptions {
    std::vector<std::string> subtrees{};  // empty = everything below the root, without the private directory
    std::vector<std::string> skip{};
    std::uint32_t depth{0};  // 0 = no limit
};

class Walker {
  public:
    // unsafe_path for a subtree that is no safe path. The Root must outlive the walker.
    static Outcome<Walker> start(const Root& root, WalkOptions options);

    // The next entry, or nothing at the end. What cannot be looked at or listed is an entry with its errno.
    std::optional<proto::FileEntry> next();
    // The place of the entry that next() returned last, to open it.
    Outcome<Place> place() const;

  private:
    struct Level {
        UniqueFd directory{};  // O_PATH
        std::string path{};
        std::uint64_t dev{0};
        std::vector<std::string> names{};
        std::size_t at{0};
    };

    explicit Walker(const Root& root) : root_(&root) {}
    std::optional<proto::FileEntry> next_subtree();
    std::optional<proto::FileEntry> next_name();
    // Lists the entry's directory and makes it the current level, or notes in the entry why not.
    void enter(proto::FileEntry& entry, int parent, const std::string& name);
    [[nodiscard]] bool skipped(const std::string& path) const;

    const Root* root_;
    WalkOptions options_{};
    std::size_t next_subtree_{0};
    std::vector<Level> levels_{};
    std::string last_path_{};
};

}  // namespace drawhitch::helper
