// The request `write`: chunks into a part file.
#include <fcntl.h>
#include <unistd.h>

#include "core/proto/limits.hpp"
#include "helper/handlers.hpp"
#include "helper/rename.hpp"

namespace drawhitch::helper {

using proto::Reason;

namespace {

// Dirty pages are pushed out while the next bytes are on their way, so that the sync at the end finds little to do.
constexpr std::uint64_t k_writeback = 8U << 20U;

class WriteIncoming final : public Incoming {
  public:
    WriteIncoming(std::uint32_t request, Root& root, proto::Write message, UniqueFd part)
        : request_(request), root_(root), message_(std::move(message)), part_(std::move(part)) {}

    Done data(Context& context, std::string_view payload) override {
        auto chunk = assembler_.feed(payload);
        if (!chunk) return refuse(Reason::malformed, {}, chunk.error().message);
        if (!*chunk) return Unit{};
        const std::uint32_t index = (*chunk)->index;
        if ((*chunk)->raw_size != proto::leaf_size(message_.size, index) || (*chunk)->raw_size == 0) {
            return refuse(Reason::malformed, {}, "a chunk that is no part of the announced file");
        }
        const proto::CodecId codec = (*chunk)->codec;
        auto raw = context.codec.open(std::move(**chunk));
        if (!raw && raw.error().code != Code::integrity) return refuse(Reason::malformed, {}, raw.error().message);
        if (!raw) {
            ++failed_;
            context.channel.send(request_, proto::WriteAck{index, Reason::integrity});
            return Unit{};
        }
        TRY(store(index, *raw, codec == proto::CodecId::zero));
        ++chunks_;
        context.channel.send(request_, proto::WriteAck{index, Reason::none});
        return Unit{};
    }

    Done end(Context& context, const proto::WriteEnd& message) override {
        if (!assembler_.idle()) return refuse(Reason::malformed, {}, "the data ends within a chunk");
        if (message.sync) TRY(sync_file(part_.get(), message_.part));
        context.answer(request_, proto::Written{chunks_, failed_});
        return Unit{};
    }

  private:
    Done store(std::uint32_t index, std::string_view raw, bool zero) {
        const std::uint64_t offset = std::uint64_t{index} * proto::k_chunk;
        TRY_ASSIGN(const auto guard, guard_change(root_, message_.epoch));
        if (zero && punch(offset, raw.size())) return Unit{};
        if (!pwrite_all(part_.get(), raw, offset, message_.part)) return refuse_errno(errno, message_.part);
        dirty_ += raw.size();
        if (dirty_ >= k_writeback) {
            ::sync_file_range(part_.get(), 0, 0, SYNC_FILE_RANGE_WRITE);
            dirty_ = 0;
        }
        return Unit{};
    }

    // Sparse files stay sparse where the file system can.
    [[nodiscard]] bool punch(std::uint64_t offset, std::size_t size) const {
        return ::fallocate(part_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                           static_cast<off_t>(size)) == 0;
    }

    std::uint32_t request_{0};
    Root& root_;
    proto::Write message_{};
    UniqueFd part_{};
    proto::ChunkAssembler assembler_{};
    std::uint64_t chunks_{0};
    std::uint64_t failed_{0};
    std::uint64_t dirty_{0};
};

Outcome<UniqueFd> open_part(Root& root, const proto::Write& message) {
    if (!is_part_name(message.part)) return refuse(Reason::malformed, message.part, "not a name for a part");
    if (message.size > static_cast<std::uint64_t>(INT64_MAX)) return refuse(Reason::too_large, message.part);
    TRY_ASSIGN(const auto guard, guard_change(root, message.epoch));
    TRY_ASSIGN(const UniqueFd parts, open_parts(root));
    UniqueFd part{
        ::openat(parts.get(), message.part.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600)};
    if (!part) return refuse_create(errno, parts.get(), message.part);
    struct stat info {};
    if (::fstat(part.get(), &info) != 0) return refuse_errno(errno, message.part);
    if (!S_ISREG(info.st_mode) || info.st_nlink != 1) return refuse(Reason::not_a_file, message.part);
    if (message.fresh && ::ftruncate(part.get(), 0) != 0) return refuse_errno(errno, message.part);
    if (::ftruncate(part.get(), static_cast<off_t>(message.size)) != 0) return refuse_errno(errno, message.part);
    return part;
}

}  // namespace

JobPointer handle_write(Context& context, std::uint32_t request, std::string_view payload) {
    return start_job<proto::Write>(context, request, payload, [&](proto::Write message) -> Outcome<JobPointer> {
        TRY_ASSIGN(Root * root, context.roots.claimed(message.root, message.epoch));
        TRY_ASSIGN(UniqueFd part, open_part(*root, message));
        context.incoming.emplace(request,
                                 std::make_unique<WriteIncoming>(request, *root, std::move(message), std::move(part)));
        return JobPointer{};
    });
}

}  // namespace drawhitch::helper
