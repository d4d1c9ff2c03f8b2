// Messages about roots and what lies below them; none changes the user's files (docs/protocol.md, "Roots", "Looking").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/proto/codec_id.hpp"
#include "core/proto/file_entry.hpp"
#include "core/proto/message_type.hpp"

namespace drawhitch::proto {

// The client numbers its roots (1 .. k_roots_max), so that requests on a root can follow in the same flight.
using RootId = std::uint16_t;

struct OpenRoot {
    static constexpr MessageType k_type = MessageType::open_root;
    RootId root{0};
    std::string path{};  // absolute; may pass through symlinks, unlike every path below it
    bool create{false};  // with missing parents, mode 0700

    template <class F>
    void visit(F& f) {
        f(root), f(path), f(create);
    }
};
struct RootOpened {
    static constexpr MessageType k_type = MessageType::root_opened;
    std::uint64_t dev{0};
    std::uint64_t ino{0};
    bool created{false};
    std::uint64_t epoch{0};  // in force there; 0 if it was never claimed

    template <class F>
    void visit(F& f) {
        f(dev), f(ino), f(created), f(epoch);
    }
};

// Gains the right to change things below a root. See docs/protocol.md, "Epochs".
struct Claim {
    static constexpr MessageType k_type = MessageType::claim;
    RootId root{0};
    std::uint64_t epoch{0};  // 0 = one more than the epoch in force
    std::string owner{};     // 16 random bytes that name one transfer; its connections share them
    bool steal{false};       // fence another owner's live helper instead of being told `busy`
    std::string note{};      // shown to whoever finds the root busy

    template <class F>
    void visit(F& f) {
        f(root), f(epoch), f(owner), f(steal), f(note);
    }
};
struct Claimed {
    static constexpr MessageType k_type = MessageType::claimed;
    std::uint64_t epoch{0};
    bool locking{true};  // false where the file system has no locks: then only the check before each write fences

    template <class F>
    void visit(F& f) {
        f(epoch), f(locking);
    }
};

// Tries out what the file system below a claimed root can do.
struct ProbeRoot {
    static constexpr MessageType k_type = MessageType::probe_root;
    RootId root{0};
    std::uint64_t epoch{0};

    template <class F>
    void visit(F& f) {
        f(root), f(epoch);
    }
};
struct RootProbed {
    static constexpr MessageType k_type = MessageType::root_probed;
    bool hard_links{false};
    bool symlinks{false};
    bool rename_replaces{false};    // rename over an existing file works
    bool rename_no_replace{false};  // and can be told not to
    bool sparse{false};
    bool fsync{false};
    bool stable_inodes{false};
    bool case_folding{false};  // "A" finds "a"
    bool normalising{false};   // the decomposed form of a name finds the composed one
    bool exec{false};
    bool reflink{false};
    bool exec_bit{false};  // chmod +x is kept
    std::uint64_t mtime_step_ns{1};
    std::uint64_t fs_type{0};  // f_type of statfs

    template <class F>
    void visit(F& f) {
        f(hard_links), f(symlinks), f(rename_replaces), f(rename_no_replace), f(sparse), f(fsync), f(stable_inodes);
        f(case_folding), f(normalising), f(exec), f(reflink), f(exec_bit), f(mtime_step_ns), f(fs_type);
    }
};

struct StatVfs {
    static constexpr MessageType k_type = MessageType::statvfs;
    RootId root{0};
    std::string path{};  // empty = the root

    template <class F>
    void visit(F& f) {
        f(root), f(path);
    }
};
struct Space {
    static constexpr MessageType k_type = MessageType::space;
    std::uint64_t bytes_total{0};
    std::uint64_t bytes_free{0};    // for an unprivileged writer
    std::uint64_t inodes_total{0};  // 0 where the file system does not count them
    std::uint64_t inodes_free{0};
    std::uint64_t block_size{0};
    std::uint64_t fs_type{0};
    bool read_only{false};
    bool noexec{false};

    template <class F>
    void visit(F& f) {
        f(bytes_total), f(bytes_free), f(inodes_total), f(inodes_free), f(block_size), f(fs_type), f(read_only);
        f(noexec);
    }
};

// One entry per path, in order; what cannot be looked at has type unknown and an errno.
struct Stat {
    static constexpr MessageType k_type = MessageType::stat;
    RootId root{0};
    std::vector<std::string> paths{};  // the empty path is the root itself

    template <class F>
    void visit(F& f) {
        f(root), f(paths);
    }
};
struct Entries {
    static constexpr MessageType k_type = MessageType::entries;
    std::vector<FileEntry> entries{};

    template <class F>
    void visit(F& f) {
        f(entries);
    }
};

struct Scan {
    static constexpr MessageType k_type = MessageType::scan;
    RootId root{0};
    std::vector<std::string> subtrees{};  // empty = all; each is listed itself, then entered if a directory
    std::vector<std::string> skip{};      // exact paths: neither listed nor entered
    std::uint32_t depth{0};               // 0 = no limit; 1 = a directory's direct content
    std::uint64_t max_entries{0};         // 0 = no limit; past it the scan ends with `truncated`
    bool digests{false};
    bool sha256{false};  // plain digests too; needs `digests`
    bool rehash{false};  // trust no cache

    template <class F>
    void visit(F& f) {
        f(root), f(subtrees), f(skip), f(depth), f(max_entries), f(digests), f(sha256), f(rehash);
    }
};
// Some entries in scan order (proto::scan_less): `bytes` decode to `raw_size` bytes that hold an Entries message.
struct ScanPage {
    static constexpr MessageType k_type = MessageType::scan_page;
    CodecId codec{CodecId::stored};
    std::uint32_t raw_size{0};
    std::string bytes{};

    template <class F>
    void visit(F& f) {
        f(codec), f(raw_size), f(bytes);
    }
};
struct ScanEnd {
    static constexpr MessageType k_type = MessageType::scan_end;
    std::uint64_t entries{0};
    std::uint64_t errors{0};  // entries with an errno
    bool truncated{false};
    std::int64_t wall_seconds{0};  // the box's clock at the end

    template <class F>
    void visit(F& f) {
        f(entries), f(errors), f(truncated), f(wall_seconds);
    }
};

struct Hash {
    static constexpr MessageType k_type = MessageType::hash;
    RootId root{0};
    std::string path{};
    std::optional<Fence> fence{};  // absent = the state at its opening
    std::uint64_t first{0};        // first leaf
    std::uint64_t count{0};        // how many; 0 = to the end
    bool leaves{false};            // send them
    bool sha256{false};            // whole files only
    bool rehash{false};

    template <class F>
    void visit(F& f) {
        f(root), f(path), f(fence), f(first), f(count), f(leaves), f(sha256), f(rehash);
    }
};
struct Leaves {
    static constexpr MessageType k_type = MessageType::leaves;
    std::uint64_t first{0};
    std::vector<Digest> leaves{};

    template <class F>
    void visit(F& f) {
        f(first), f(leaves);
    }
};
// `entry` carries the root digest when the whole file was hashed, and the SHA-256 when asked for.
struct Hashed {
    static constexpr MessageType k_type = MessageType::hashed;
    FileEntry entry{};

    template <class F>
    void visit(F& f) {
        f(entry);
    }
};

struct TreeHash {
    static constexpr MessageType k_type = MessageType::tree_hash;
    RootId root{0};
    std::string path{};  // the directory; paths in the hash are relative to it
    bool rehash{false};

    template <class F>
    void visit(F& f) {
        f(root), f(path), f(rehash);
    }
};
struct TreeHashed {
    static constexpr MessageType k_type = MessageType::tree_hashed;
    Digest digest{};
    std::uint64_t files{0};
    std::uint64_t bytes{0};

    template <class F>
    void visit(F& f) {
        f(digest), f(files), f(bytes);
    }
};

struct ReadSmall {
    static constexpr MessageType k_type = MessageType::read_small;
    RootId root{0};
    std::string path{};
    std::uint64_t offset{0};
    std::uint32_t max{512U << 10U};  // at most k_small_max

    template <class F>
    void visit(F& f) {
        f(root), f(path), f(offset), f(max);
    }
};
// `content` is at most `max` bytes from `offset`; shorter only at the end of the file.
struct Small {
    static constexpr MessageType k_type = MessageType::small;
    FileEntry entry{};
    std::string content{};

    template <class F>
    void visit(F& f) {
        f(entry), f(content);
    }
};

// Which regular files below `path` some process holds open for writing (from /proc; other users' processes are not
// seen).
struct Writers {
    static constexpr MessageType k_type = MessageType::writers;
    RootId root{0};
    std::string path{};

    template <class F>
    void visit(F& f) {
        f(root), f(path);
    }
};
struct OpenFile {
    std::uint64_t dev{0};
    std::uint64_t ino{0};
    std::uint32_t pid{0};

    template <class F>
    void visit(F& f) {
        f(dev), f(ino), f(pid);
    }
};
struct WritersFound {
    static constexpr MessageType k_type = MessageType::writers_found;
    std::vector<OpenFile> files{};
    bool complete{false};  // false when some processes could not be looked into

    template <class F>
    void visit(F& f) {
        f(files), f(complete);
    }
};

}  // namespace drawhitch::proto
