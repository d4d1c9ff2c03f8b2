// What a pull of files is given and what it answers. Values only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/time.hpp"
#include "core/proto/file_entry.hpp"
#include "flow/transfer/link.hpp"

namespace drawhitch::disk {
struct PartPlan;
}

namespace drawhitch::flow {

// An earlier file of the same series that was proven here and may still be on the box: chunks may come as differences
// to it. A guess may be wrong: then they come whole.
struct PullBase {
    std::string source{};  // relative to the link's root
    std::string local{};   // relative to the destination
    proto::Digest root{};
};

// One regular file to fetch. `source.path` is relative to the link's root.
struct PullItem {
    proto::FileEntry source{};
    std::string target{};  // where it lands, relative to the destination
    bool doubt{false};     // young, or on a tier that tells no truth: read again on the box before it is called whole
    bool growing{false};   // open for writing: what was there at the scan is fetched, and not certified
    // What is completed together, if the caller asks to be told (GroupsDone): items of a group lie side by side, and
    // groups are fetched in their order in the list.
    std::uint32_t group{0};
    std::shared_ptr<const PullBase> base{};  // few files have one
};

// What the part of an item on its way is true of: this path on the box, in this state.
disk::PartPlan part_plan(const PullItem& item);

enum class FileState {
    pulled,      // fetched, proven and in place
    kept,        // was here already, proven by its digest
    unsettled,   // in place, but somebody still had it open for writing: not certified
    changing,    // changed again and again while it was read: not in place
    vanished,    // gone from the box since the scan
    skipped,     // not a thing that is pulled (a pipe, a link that leads out …)
    displaced,   // was in place, and is under its name no more: somebody moved it, or a directory above it
    unfinished,  // the transfer ended before it was whole; what came waits for the next attempt
    failed,      // `why` says what went wrong with this file alone
};
std::string_view name_of(FileState state);

struct PullResult {
    FileState state{FileState::skipped};
    // The state of the file that was pulled.
    std::uint64_t size{0};
    std::int64_t mtime_ns{0};
    std::uint32_t mode{0};
    proto::Digest root{};
    proto::Digest sha256{};
    std::string why{};
    Code code{Code::skipped};  // of a failed file
};

struct PullTally {
    Wire wire{};
    std::uint64_t fetched{0};     // raw bytes proven on arrival
    std::uint64_t resumed{0};     // raw bytes an earlier attempt had left here
    std::uint64_t repeated{0};    // raw bytes that arrived in vain (wrong, or of a state that is gone)
    std::uint64_t on_base{0};     // raw bytes that came as differences to an earlier file
    std::uint64_t base_saved{0};  // about how many bytes that kept off the wire
    std::uint32_t wrong_chunks{0};
    std::uint32_t reconnects{0};
};

// By index of the item: results that will not change any more.
using ItemResults = std::vector<std::pair<std::size_t, PullResult>>;

// Told, while others are still fetched, that every item of one or several groups has its result and lies on disk.
// Called from a thread of its own, one call at a time, none after the transfer; what is complete in its last moments is
// not told. So that telling costs little beside the transfer, it waits at least `pace` between two calls, and five
// times as long as the last one took.
struct GroupsDone {
    std::function<void(const ItemResults& results)> tell{};
    milliseconds pace{1000};
};

struct PullOutcome {
    std::vector<PullResult> results{};  // one per item, in order
    PullTally tally{};
    std::optional<Error> stopped{};  // the pull ended early; results say what was done until then
};

struct PullLimits {
    int connections{1};     // at most
    int first{0};           // begun with; 0 = as many as the path's round trip asks for
    std::uint8_t level{0};  // of zstd; 0 = as link and box allow (plan::packing_for)
    Persistence persistence{};
};

}  // namespace drawhitch::flow
