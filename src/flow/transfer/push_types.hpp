// What a push of files is given and what it answers. Values only.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "core/proto/digest.hpp"
#include "flow/transfer/link.hpp"
#include "io/disk/root.hpp"

namespace drawhitch::flow {

// One regular local file to send, with the digests it had when the push was planned: what is read later must still have
// them, so a file that changes while it is pushed cannot go unnoticed.
struct PushItem {
    std::string source{};  // relative to the local root
    std::string target{};  // relative to the link's root
    std::uint64_t size{0};
    std::uint32_t mode{0644};
    std::int64_t mtime_ns{0};
    proto::Digest root{};
    std::vector<proto::Digest> leaves{};
};

// The names of the items' parts on the box: made of the content, so that any later push of the same bytes resumes them;
// items of the same content have one each.
std::vector<std::string> part_names(const std::vector<PushItem>& items);

// Where local bytes come from: the bytes of an item's `source`, or nothing if they are not there any more. Thread-safe.
using ReadPiece =
    std::function<std::optional<std::string>(const std::string& source, std::uint64_t offset, std::size_t size)>;
// Files below a local directory. `root` outlives the answer.
ReadPiece pieces_of(const disk::Root& root);

struct PushTally {
    Wire wire{};
    std::uint64_t sent{0};      // raw bytes the box acknowledged
    std::uint64_t resumed{0};   // raw bytes an earlier attempt had left there
    std::uint64_t repeated{0};  // raw bytes sent again (the box saw them damaged, or the link died before the answer)
    std::uint32_t reconnects{0};
};

struct PushOutcome {
    PushTally tally{};
    // Local files that are not what was planned any more (changed or gone): plan again.
    std::vector<std::string> changed{};
    std::vector<bool> whole{};       // per item: it is on the box, proven and under its name
    std::optional<Error> stopped{};  // nothing could go on
    // A connection that works, under the claim in force; none when `stopped`. What crossed it is not in the tally.
    std::optional<Link> link{};
    [[nodiscard]] bool complete() const { return changed.empty() && !stopped; }
};

struct PushLimits {
    int connections{1};  // at most
    int first{0};        // begun with; 0 = as many as the path's round trip asks for
    int level{0};        // of zstd; 0 = 3
    bool sync{false};    // each large file reaches the disk before it appears
    Persistence persistence{};
};

}  // namespace drawhitch::flow
