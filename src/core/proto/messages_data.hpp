// Messages that move file contents (docs/protocol.md, "Reading", "Writing"). The bytes themselves travel in data frames
// (core/proto/chunk.hpp) and bundles (core/proto/bundle.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/proto/codec_id.hpp"
#include "core/proto/messages_tree.hpp"
#include "core/proto/refusal.hpp"

namespace drawhitch::proto {

// `count` chunks of k_chunk from chunk `first`; the file's last one may be short.
struct ChunkRange {
    std::uint32_t first{0};
    std::uint32_t count{0};

    template <class F>
    void visit(F& f) {
        f(first), f(count);
    }
};

// An earlier, different file that both ends have: chunks may be sent as the XOR against its chunk of the same index.
// Only for a helper with k_cap_base.
struct BaseFile {
    std::string path{};
    Digest digest{};  // its root digest, as the client knows it
    // Of the base's chunks as the client has them: one per chunk asked for, in the order of the ranges. All zero where
    // there is none. A chunk whose leaf differs on the box is no base.
    std::vector<Digest> leaves{};

    template <class F>
    void visit(F& f) {
        f(path), f(digest), f(leaves);
    }
};

struct Read {
    static constexpr MessageType k_type = MessageType::read;
    RootId root{0};
    std::string path{};
    std::optional<Fence> fence{};  // absent = the state at its opening
    bool growing{false};           // appends are no change: size may grow and mtime move while the chunk is inside
    std::vector<ChunkRange> ranges{};
    CodecSet codecs{0};
    std::uint8_t level{0};  // of zstd; 0 = the helper's choice
    std::optional<BaseFile> base{};

    template <class F>
    void visit(F& f) {
        f(root), f(path), f(fence), f(growing), f(ranges), f(codecs), f(level), f(base);
    }
};
// After the last data frame of read and read_bundle.
struct ReadEnd {
    static constexpr MessageType k_type = MessageType::read_end;
    std::uint64_t chunks{0};
    std::optional<Fence> fence{};  // read: the state that held from first to last chunk

    template <class F>
    void visit(F& f) {
        f(chunks), f(fence);
    }
};

struct BundleItem {
    std::string path{};
    std::optional<Fence> fence{};

    template <class F>
    void visit(F& f) {
        f(path), f(fence);
    }
};
// Many small files in blocks of at most k_chunk raw bytes; records: BundleFile.
struct ReadBundle {
    static constexpr MessageType k_type = MessageType::read_bundle;
    RootId root{0};
    CodecSet codecs{0};
    std::uint8_t level{0};
    std::vector<BundleItem> items{};

    template <class F>
    void visit(F& f) {
        f(root), f(codecs), f(level), f(items);
    }
};

// Opens a part file in the private directory. Data frames with this request's number follow, then WriteEnd.
struct Write {
    static constexpr MessageType k_type = MessageType::write;
    RootId root{0};
    std::uint64_t epoch{0};
    std::string part{};     // a plain name, at most k_part_name_max
    std::uint64_t size{0};  // final size; no chunk may lie past it
    bool fresh{false};      // empty an existing part first; else its bytes stay, for resume

    template <class F>
    void visit(F& f) {
        f(root), f(epoch), f(part), f(size), f(fresh);
    }
};
// One per chunk, when it is written (none) or could not be (integrity: send it again; others end in a refusal).
struct WriteAck {
    static constexpr MessageType k_type = MessageType::write_ack;
    std::uint32_t chunk{0};
    Reason reason{Reason::none};

    template <class F>
    void visit(F& f) {
        f(chunk), f(reason);
    }
};
// Sent by the client under the number of a write or write_bundle: no more data comes.
struct WriteEnd {
    static constexpr MessageType k_type = MessageType::write_end;
    bool sync{false};  // answer only when the part's bytes are on the disk

    template <class F>
    void visit(F& f) {
        f(sync);
    }
};
struct Written {
    static constexpr MessageType k_type = MessageType::written;
    std::uint64_t chunks{0};  // accepted: chunks, or files of a bundle
    std::uint64_t failed{0};  // chunks refused for integrity, or files of a bundle that failed

    template <class F>
    void visit(F& f) {
        f(chunks), f(failed);
    }
};

// Small files to be written; records: NewFile.
struct WriteBundle {
    static constexpr MessageType k_type = MessageType::write_bundle;
    RootId root{0};
    std::uint64_t epoch{0};
    std::string base{};   // directory the records' paths are relative to; empty = the root
    bool replace{false};  // through a temporary name and rename; else a file must not exist yet
    bool make_parents{true};

    template <class F>
    void visit(F& f) {
        f(root), f(epoch), f(base), f(replace), f(make_parents);
    }
};
struct ItemFailure {
    std::uint32_t index{0};
    Reason reason{Reason::io};
    std::int32_t error{0};

    template <class F>
    void visit(F& f) {
        f(index), f(reason), f(error);
    }
};
// One per block. `integrity` for the whole block means none of its files was written: send it again.
struct BundleAck {
    static constexpr MessageType k_type = MessageType::bundle_ack;
    std::uint32_t block{0};
    Reason reason{Reason::none};
    std::uint32_t files{0};               // written
    std::vector<ItemFailure> failures{};  // by NewFile::index

    template <class F>
    void visit(F& f) {
        f(block), f(reason), f(files), f(failures);
    }
};

// Re-reads the part, compares, sets mode and time, syncs, and renames it into place.
struct Commit {
    static constexpr MessageType k_type = MessageType::commit;
    RootId root{0};
    std::uint64_t epoch{0};
    std::string part{};
    std::string path{};
    std::uint64_t size{0};
    Digest digest{};           // root digest the part must have
    std::uint32_t mode{0644};  // permission bits
    std::optional<std::int64_t> mtime_ns{};
    bool no_replace{false};
    bool make_parents{false};
    bool sync{true};

    template <class F>
    void visit(F& f) {
        f(root), f(epoch), f(part), f(path), f(size), f(digest), f(mode), f(mtime_ns), f(no_replace);
        f(make_parents), f(sync);
    }
};
struct Committed {
    static constexpr MessageType k_type = MessageType::committed;
    Fence fence{};

    template <class F>
    void visit(F& f) {
        f(fence);
    }
};

}  // namespace drawhitch::proto
