// Refusals: how a helper says no. Each has a reason from a fixed list, so that the client can act on it; texts are for
// people only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "core/proto/file_entry.hpp"
#include "core/proto/message_type.hpp"

namespace drawhitch::proto {

enum class Reason : std::uint8_t {
    none,             // not refused; used in per-item answers
    unknown_message,  // a type this helper does not know
    malformed,        // fields that do not parse or break a documented limit
    bad_root,         // a root number that is not open, or open already
    unclaimed,        // a change on a root this connection has not claimed
    fenced,           // a higher epoch exists: this connection may never write there again
    busy,             // another owner's live helper holds the root
    not_found,
    exists,
    not_a_file,
    not_a_directory,
    not_empty,
    changed,       // the fence does not hold (any more)
    unsafe_path,   // leaves the root, meets a symlink, or touches the private directory
    cross_device,  // link or rename between devices
    permission,
    no_space,
    no_inodes,
    read_only,
    too_large,  // past a documented limit, or RLIMIT_FSIZE
    unsupported,
    io,         // any other failed call; see errno
    integrity,  // bytes do not match their digest
    cancelled,
    limit,        // too much in flight
    version,      // no common protocol version
    credit,       // data beyond the granted credit
    framing,      // a frame that failed its checks
    silence,      // no frame from the client for too long
    untrue_size,  // a file that holds more or fewer bytes than its size says, though it did not change (/proc, /sys)
};
constexpr Reason last_of(Reason) {
    return Reason::untrue_size;
}

struct Refusal {
    static constexpr MessageType k_type = MessageType::refused;
    Reason reason{Reason::io};
    std::int32_t error{0};           // errno in Linux numbers, 0 if no call failed
    std::string path{};              // bytes; empty if none is concerned
    std::string text{};              // for people, at most k_text_max, may be empty
    std::uint64_t value{0};          // fenced: the epoch in force; too_large, limit: the limit
    std::optional<Fence> current{};  // changed: the state found

    template <class F>
    void visit(F& f) {
        f(reason), f(error), f(path), f(text), f(value), f(current);
    }
};

// "not_found" and the like.
std::string_view name(Reason reason);
// The reason of a failed system call (a Linux errno).
Reason reason_of_errno(int error);
// What the client's user is told: Code and retry class follow the reason; `doing` completes "cannot …".
Error to_error(const Refusal& refusal, std::string_view doing);

}  // namespace drawhitch::proto
