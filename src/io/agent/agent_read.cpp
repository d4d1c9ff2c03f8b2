// Agent's calls that bring file contents home.
#include <algorithm>
#include <utility>

#include "core/proto/limits.hpp"
#include "io/agent/agent.hpp"
#include "io/agent/exchange.hpp"

namespace drawhitch::agent {

namespace {

Error not_asked_for() {
    return Error{Code::integrity, Retry::reconnect, "the helper sends bytes that were not asked for"};
}

// The chunks of a read, one after the other.
class WantedChunks {
  public:
    explicit WantedChunks(const std::vector<proto::ChunkRange>& ranges) : ranges_(ranges) { skip_empty(); }
    [[nodiscard]] bool done() const { return at_ >= ranges_.size(); }
    [[nodiscard]] std::uint32_t index() const { return ranges_[at_].first + in_; }
    void advance() {
        ++in_;
        skip_empty();
    }

  private:
    void skip_empty() {
        while (!done() && in_ >= ranges_[at_].count) {
            ++at_;
            in_ = 0;
        }
    }
    const std::vector<proto::ChunkRange>& ranges_;
    std::size_t at_{0};
    std::uint32_t in_{0};
};

Status deliver_chunk(codec::Codec& codec, proto::EncodedChunk& chunk, const proto::Read& request, WantedChunks& wanted,
                     const ChunkSink& sink) {
    if (wanted.done() || chunk.index != wanted.index() || chunk.on_base) return not_asked_for();
    if (!proto::allows(request.codecs, chunk.codec)) return not_asked_for();
    // With a fence the size of every chunk is known before it comes.
    if (request.fence && chunk.raw_size != proto::leaf_size(request.fence->size, chunk.index)) return not_asked_for();
    const std::uint32_t index = chunk.index;
    const proto::Digest leaf = chunk.leaf;
    TRY_ASSIGN(std::string raw, codec.open(std::move(chunk)));
    wanted.advance();
    return sink(index, std::move(raw), leaf);
}

}  // namespace

Result<proto::ReadEnd> Agent::read(const Op& op, const proto::Read& request, const ChunkSink& sink) {
    TRY_ASSIGN(const std::uint32_t number, submit(*session_, request));
    WantedChunks wanted(request.ranges);
    proto::ChunkAssembler assembler;
    for (;;) {
        TRY_ASSIGN(const Incoming frame, next_frame(op, *session_, number, "read"));
        if (frame.type == proto::MessageType::read_end) {
            if (!wanted.done() || !assembler.idle()) return not_asked_for();
            return proto::decode<proto::ReadEnd>(frame.payload);
        }
        if (frame.type != proto::MessageType::data) return unexpected(frame, "read");
        TRY_ASSIGN(auto chunk, assembler.feed(frame.payload));
        if (!chunk) continue;
        if (auto taken = deliver_chunk(codec_, *chunk, request, wanted, sink); !taken) {
            session_->cancel(number);
            return std::move(taken).error();
        }
    }
}

namespace {

// The records of a bundle: every item once, in order, each content true to its digest.
class BundleReader {
  public:
    BundleReader(const proto::ReadBundle& request, const BundleSink& sink) : request_(request), sink_(sink) {}

    Status take(codec::Codec& codec, const proto::EncodedChunk& block) {
        if (block.index != blocks_ || block.on_base || !proto::allows(request_.codecs, block.codec)) {
            return not_asked_for();
        }
        ++blocks_;
        TRY_ASSIGN(const std::string raw, codec.open(block));
        TRY_ASSIGN(std::vector<proto::BundleFile> files, proto::decode_records<proto::BundleFile>(raw));
        for (proto::BundleFile& file : files) {
            TRY(check(file));
            ++items_;
            TRY(sink_(std::move(file)));
        }
        return ok();
    }

    [[nodiscard]] bool complete() const { return items_ == request_.items.size(); }

  private:
    Status check(const proto::BundleFile& file) const {
        if (items_ >= request_.items.size() || file.index != items_) return not_asked_for();
        const proto::BundleItem& item = request_.items[items_];
        if (file.reason != proto::Reason::none) return file.content.empty() ? ok() : Status{not_asked_for()};
        const bool as_fenced = !item.fence || (file.fence == item.fence && file.content.size() == item.fence->size);
        if (!as_fenced || file.content.size() > proto::k_small_max) return not_asked_for();
        if (proto::content_digest(file.content) != file.digest) {
            return Error{Code::integrity, Retry::same_connection, "a small file does not match its digest"};
        }
        return ok();
    }

    const proto::ReadBundle& request_;
    const BundleSink& sink_;
    std::uint32_t blocks_{0};
    std::size_t items_{0};
};

}  // namespace

Result<proto::ReadEnd> Agent::read_bundle(const Op& op, const proto::ReadBundle& request, const BundleSink& sink) {
    proto::ReadEnd all;
    for (std::size_t at = 0; at < request.items.size();) {
        const std::size_t count = part_of_list(request.items, at, [](const proto::BundleItem& item) {
            return item.path.size() + sizeof(std::uint32_t) + 1 + sizeof(proto::Fence);
        });
        const auto first = request.items.begin() + static_cast<std::ptrdiff_t>(at);
        const proto::ReadBundle part{
            request.root, request.codecs, request.level, {first, first + static_cast<std::ptrdiff_t>(count)}};
        const auto offset = static_cast<std::uint32_t>(at);
        TRY_ASSIGN(const proto::ReadEnd end, read_block_of_bundle(op, part, [&](proto::BundleFile&& file) {
                       file.index += offset;
                       return sink(std::move(file));
                   }));
        all.chunks += end.chunks;
        at += count;
    }
    return all;
}

Result<proto::ReadEnd> Agent::read_block_of_bundle(const Op& op, const proto::ReadBundle& request,
                                                   const BundleSink& sink) {
    TRY_ASSIGN(const std::uint32_t number, submit(*session_, request));
    BundleReader reader(request, sink);
    proto::ChunkAssembler assembler;
    for (;;) {
        TRY_ASSIGN(const Incoming frame, next_frame(op, *session_, number, "read small files"));
        if (frame.type == proto::MessageType::read_end) {
            if (!reader.complete() || !assembler.idle()) return not_asked_for();
            return proto::decode<proto::ReadEnd>(frame.payload);
        }
        if (frame.type != proto::MessageType::data) return unexpected(frame, "read small files");
        TRY_ASSIGN(const auto block, assembler.feed(frame.payload));
        if (!block) continue;
        if (auto taken = reader.take(codec_, *block); !taken) {
            session_->cancel(number);
            return std::move(taken).error();
        }
    }
}

}  // namespace drawhitch::agent
