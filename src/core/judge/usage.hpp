// Where bytes and inodes lie: which mount and which storage tier a path is on, and sums over a stream of entries. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/mount.hpp"
#include "core/model/profile.hpp"

namespace drawhitch::judge {

// The mount a path (absolute, free of links) lies on: the nearest by component, of several at one point the last, which
// hides the others. Null where the table does not tell.
const model::Mount* mount_of(const std::vector<model::Mount>& mounts, std::string_view path);
// False for what the kernel makes up (proc, sysfs, cgroups …): nothing is stored there.
bool holds_files(const model::Mount& mount);

// A storage tier of the profile and where it really lies on one box; not on the box: empty.
struct TierPlace {
    const model::Storage* storage{nullptr};
    std::string real{};
};
// The tier that the path lies on, or null; of several that share a path the one that survives least.
const model::Storage* tier_of(const std::vector<TierPlace>& tiers, std::string_view path);

struct UsedEntry {
    std::string path{};  // relative to the place that is looked at
    std::uint64_t allocated{0};
    std::uint64_t apparent{0};
    std::uint64_t dev{0};
    std::uint64_t ino{0};
    std::uint32_t links{1};
    bool directory{false};
    bool unreadable{false};
};

struct Usage {
    std::uint64_t allocated{0};  // bytes on disk; a file of several names counts once
    std::uint64_t apparent{0};   // bytes of the contents
    std::uint64_t entries{0};    // names
    std::uint64_t inodes{0};
    std::uint64_t unreadable{0};
};

struct UsageRow {
    std::string path{};  // relative to the place
    Usage usage{};
};

// Sums entries in the order of a scan (a directory before its content, which stays together). Holds the largest
// directories and those on the way down, however many entries there are, and a number for each file with names still to
// come.
class UsageTally {
  public:
    struct Options {
        std::uint32_t depth{1};  // how deep directories get sums of their own; 0: none do
        std::size_t top{20};
        std::vector<std::string> always{};  // directories told whatever their size and depth, relative
    };
    explicit UsageTally(Options options);

    void add(const UsedEntry& entry);

    struct Sums {
        Usage whole{};
        std::vector<UsageRow> always{};   // by path
        std::vector<UsageRow> largest{};  // the largest first
        std::uint64_t left_out{0};        // directories as deep that are smaller
    };
    Sums finish();

  private:
    struct Open {
        UsageRow row{};
        bool always{false};
    };
    bool counts_bytes(const UsedEntry& entry);
    void close_until(std::string_view path);
    void close_last();

    Options options_{};
    std::vector<Open> open_{};
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> names_to_come_{};
    Sums sums_{};
};

}  // namespace drawhitch::judge
