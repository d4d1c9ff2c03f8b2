// du: where the bytes and inodes of a box lie, by real mount. It looks; nothing on the box is changed but that the
// helper is put there where it is missing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/judge/usage.hpp"
#include "flow/deps.hpp"

namespace drawhitch::flow {

struct DuOptions {
    std::vector<std::string> paths{};  // as typed; empty: the root of the lease, the home, the profile's tiers, caches
    std::uint32_t depth{1};            // how deep directories are told one by one
    std::size_t top{20};               // the largest so many of each place
};

// What the profile says of the tier that something lies on; nothing where it names none.
struct DuTier {
    std::string name{};
    std::optional<bool> survives_stop{};
    std::optional<bool> survives_down{};
};

struct DuMount {
    std::string point{};
    std::string type{};    // empty: the box does not say
    std::string source{};  // the device, or the server's export
    std::optional<std::uint64_t> bytes_total{};
    std::optional<std::uint64_t> bytes_free{};  // for an unprivileged writer
    std::optional<std::uint64_t> inodes_total{};
    std::optional<std::uint64_t> inodes_free{};
    DuTier tier{};  // several on one mount: their names, and what all of them agree about
};

struct DuRow {
    std::string path{};   // absolute, free of links
    std::string asked{};  // as typed or as the profile has it, where that leads here; else empty
    std::string mount{};  // its point
    bool place{false};    // looked at for itself; else a directory inside of one
    DuTier tier{};
    judge::Usage usage{};
};

struct DuMissed {
    std::string path{};
    std::string why{};
};

struct DuReport {
    std::vector<DuMount> mounts{};     // of everything told below, and of the profile's tiers
    std::vector<DuRow> rows{};         // each place, then its directories, the largest first
    std::vector<DuMissed> missed{};    // the first hundred of what could not be read
    std::uint64_t missed_count{0};     // of all
    std::uint64_t left_out{0};         // directories smaller than those told
    std::vector<std::string> notes{};  // mounts that show what was counted elsewhere
};

// Never enters another mount as if it were the same: each is a place of its own. Links are followed in the paths of
// `options` and nowhere else. Codes: those of Box, not_found when none of the typed paths is there.
Result<DuReport> du(const Op& op, Deps& deps, const model::Lease& lease, const DuOptions& options);

}  // namespace drawhitch::flow
