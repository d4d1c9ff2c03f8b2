// Records inside bundle blocks (docs/protocol.md, "Bundles"): a block's raw bytes are records one after the other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/proto/refusal.hpp"
#include "core/proto/wire.hpp"

namespace drawhitch::proto {

// Box -> laptop: one item of a ReadBundle, found or not.
struct BundleFile {
    static constexpr MessageType k_type = MessageType::read_bundle;
    std::uint32_t index{0};  // of the request's items
    Reason reason{Reason::none};
    std::int32_t error{0};
    std::optional<Fence> fence{};  // the state read, or for `changed` the one found
    Digest digest{};               // root digest of `content`
    std::string content{};         // empty unless reason is none

    template <class F>
    void visit(F& f) {
        f(index), f(reason), f(error), f(fence), f(digest), f(content);
    }
};

// Laptop -> box: one file to write.
struct NewFile {
    static constexpr MessageType k_type = MessageType::write_bundle;
    std::uint32_t index{0};  // the client's own count, repeated in failures
    std::string path{};
    std::uint32_t mode{0644};
    std::optional<std::int64_t> mtime_ns{};
    Digest digest{};  // root digest of `content`
    std::string content{};

    template <class F>
    void visit(F& f) {
        f(index), f(path), f(mode), f(mtime_ns), f(digest), f(content);
    }
};

// All records of a block. Code::protocol when the bytes are not exactly a row of them.
template <class Record>
Result<std::vector<Record>> decode_records(std::string_view block) {
    std::vector<Record> records;
    Reader reader(block);
    while (!reader.rest().empty()) {
        reader(records.emplace_back());
        if (!reader.ok()) return malformed(name(Record::k_type));
    }
    return records;
}

}  // namespace drawhitch::proto
