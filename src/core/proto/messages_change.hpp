// Messages that change a tree other than by its contents (docs/protocol.md, "Changing"). All need a claimed root.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/proto/messages_data.hpp"

namespace drawhitch::proto {

enum class ChangeKind : std::uint8_t {
    make_directory,  // path, mode; flags parents, exist_ok
    make_symlink,    // path; other = target bytes, not interpreted
    hard_link,       // path = new name, other = existing file
    copy_file,       // path = new name, other = existing file; reflink where possible; mode bits kept
    rename,          // path = new name, other = existing; flag no_replace
    remove,          // path; flag recursive
    set_executable,  // path, mode: 0 clears, else sets the execute bits where read bits are
};
constexpr ChangeKind last_of(ChangeKind) {
    return ChangeKind::set_executable;
}

// Bits of Change::flags.
inline constexpr std::uint8_t k_change_parents = 1;     // create missing parent directories of `path`
inline constexpr std::uint8_t k_change_exist_ok = 2;    // a directory that exists already is fine
inline constexpr std::uint8_t k_change_no_replace = 4;  // an existing target is `exists`
inline constexpr std::uint8_t k_change_recursive = 8;
inline constexpr std::uint8_t k_change_missing_ok = 16;  // remove: nothing there is fine

struct Change {
    ChangeKind kind{ChangeKind::make_directory};
    std::string path{};
    std::string other{};
    std::uint32_t mode{0};
    std::uint8_t flags{0};

    template <class F>
    void visit(F& f) {
        f(kind), f(path), f(other), f(mode), f(flags);
    }
};

// A list of changes, made in order.
struct Apply {
    static constexpr MessageType k_type = MessageType::apply;
    RootId root{0};
    std::uint64_t epoch{0};
    bool keep_going{false};  // try the rest after a failure; else stop at the first
    std::vector<Change> changes{};

    template <class F>
    void visit(F& f) {
        f(root), f(epoch), f(keep_going), f(changes);
    }
};
struct Applied {
    static constexpr MessageType k_type = MessageType::applied;
    std::uint32_t done{0};
    std::vector<ItemFailure> failures{};

    template <class F>
    void visit(F& f) {
        f(done), f(failures);
    }
};

// Everything written so far below the root reaches the disk (syncfs).
struct Sync {
    static constexpr MessageType k_type = MessageType::sync;
    RootId root{0};

    template <class F>
    void visit(F& f) {
        f(root);
    }
};
struct Synced {
    static constexpr MessageType k_type = MessageType::synced;

    template <class F>
    void visit(F&) {}
};

// Replaces a small file atomically: temporary name, fsync, rename, fsync of the directory.
struct WriteSmall {
    static constexpr MessageType k_type = MessageType::write_small;
    RootId root{0};
    std::uint64_t epoch{0};
    std::string path{};
    std::string content{};  // at most k_small_max
    std::uint32_t mode{0644};
    bool no_replace{false};
    bool make_parents{false};

    template <class F>
    void visit(F& f) {
        f(root), f(epoch), f(path), f(content), f(mode), f(no_replace), f(make_parents);
    }
};
struct SmallWritten {
    static constexpr MessageType k_type = MessageType::small_written;
    Fence fence{};

    template <class F>
    void visit(F& f) {
        f(fence);
    }
};

}  // namespace drawhitch::proto
