// The request `read`: chunks of one file under a fence, if the client wishes as differences to an earlier file.
#include <fcntl.h>
#include <unistd.h>

#include "core/proto/limits.hpp"
#include "helper/file_hasher.hpp"
#include "helper/handlers.hpp"
#include "helper/sender.hpp"

namespace drawhitch::helper {

using proto::Reason;

namespace {

// The file that a client named as the base. What cannot be opened or read, or is not what the client has, is no base;
// nothing of it is ever sent but in a difference to a leaf that the client proved to have.
class Base {
  public:
    Base(const Root& root, proto::BaseFile named) : leaves_(std::move(named.leaves)) {
        auto place = locate(root, named.path, Need::look);
        if (!place) return;
        auto file = open_file(*place);
        if (file) fd_ = std::move(file->fd);
    }

    // Our bytes of the `asked`-th chunk of the request, if they are the client's.
    std::optional<std::string> chunk(std::size_t asked, std::uint32_t index) {
        if (!fd_ || leaves_[asked] == proto::Digest{}) return std::nullopt;
        std::string bytes(proto::k_chunk, '\0');
        const auto count = pread_full(fd_.get(), bytes, std::uint64_t{index} * proto::k_chunk, {});
        if (!count) return std::nullopt;
        bytes.resize(*count);
        if (proto::leaf_digest(bytes) != leaves_[asked]) return std::nullopt;
        return bytes;
    }

  private:
    UniqueFd fd_{};
    std::vector<proto::Digest> leaves_{};
};

class ReadJob final : public Job {
  public:
    ReadJob(std::uint32_t request, proto::Read message, OpenedFile file, proto::Fence fence, std::optional<Base> base)
        : request_(request),
          message_(std::move(message)),
          file_(std::move(file)),
          fence_(fence),
          base_(std::move(base)),
          sender_(request) {}

    Step step(Context& context) override {
        if (!sender_.send(context)) return Step::wait;
        while (range_ < message_.ranges.size() && in_range_ >= message_.ranges[range_].count) {
            ++range_;
            in_range_ = 0;
        }
        if (range_ >= message_.ranges.size()) {
            context.answer(request_, proto::ReadEnd{sent_, fence_});
            return Step::done;
        }
        const std::uint32_t index = message_.ranges[range_].first + in_range_;
        auto raw = read_chunk(index);
        if (!raw) {
            context.refuse(request_, std::move(raw).error());
            return Step::done;
        }
        sender_.start(seal(context.codec, index, std::move(*raw)));
        ++in_range_;
        ++sent_;
        return sender_.send(context) ? Step::again : Step::wait;
    }

  private:
    proto::EncodedChunk seal(codec::Codec& codec, std::uint32_t index, std::string&& raw) {
        const codec::Choice choice{message_.codecs, message_.level};
        const auto base = base_ ? base_->chunk(sent_, index) : std::nullopt;
        if (base) return codec.seal_on_base(index, std::move(raw), *base, choice);
        return codec.seal_owned(index, std::move(raw), choice);
    }

    // The fence, before and after. With `growing` only identity and a shrunk file count.
    Done check(std::uint64_t needed) {
        if (!message_.growing) return check_fence(file_.fd.get(), fence_, message_.path);
        struct stat info {};
        if (::fstat(file_.fd.get(), &info) != 0) return refuse_errno(errno, message_.path);
        const proto::Fence current = fence_of(info);
        if (current.dev == fence_.dev && current.ino == fence_.ino && current.size >= needed) return Unit{};
        proto::Refusal refusal = refuse(Reason::changed, message_.path);
        refusal.current = current;
        return refusal;
    }

    Outcome<std::string> read_chunk(std::uint32_t index) {
        const std::uint64_t offset = std::uint64_t{index} * proto::k_chunk;
        const std::size_t size = proto::leaf_size(fence_.size, index);
        TRY(check(offset + size));
        std::string raw(size, '\0');
        const auto count = pread_full(file_.fd.get(), raw, offset, message_.path);
        if (!count) return refuse_errno(errno, message_.path);
        const bool more =
            !message_.growing && offset + size == fence_.size && continues_at(file_.fd.get(), offset + size);
        TRY(check(offset + size));
        if (*count != size || more) return refuse(Reason::untrue_size, message_.path);
        return raw;
    }

    std::uint32_t request_{0};
    proto::Read message_{};
    OpenedFile file_{};
    proto::Fence fence_{};
    std::optional<Base> base_{};
    ChunkSender sender_;
    std::size_t range_{0};
    std::uint32_t in_range_{0};
    std::uint64_t sent_{0};
};

bool ranges_fit(const proto::Read& message, std::uint64_t size) {
    const std::uint64_t leaves = proto::leaf_count(size);
    for (const proto::ChunkRange& range : message.ranges) {
        if (std::uint64_t{range.first} + range.count > leaves) return false;
    }
    return true;
}

// One leaf for each chunk asked for, and no more than a frame may carry.
bool leaves_fit(const proto::Read& message) {
    if (!message.base) return true;
    std::uint64_t chunks = 0;
    for (const proto::ChunkRange& range : message.ranges)
        chunks += range.count;
    return message.base->leaves.size() == chunks && chunks <= proto::k_leaves_per_frame;
}

// A growing file is known by identity alone; its other numbers are those the client names, as chunks count by them.
Outcome<proto::Fence> agreed_fence(const proto::Read& message, const OpenedFile& file) {
    const proto::Fence current = fence_of(file.info);
    if (!message.fence) return current;
    const bool same_file = message.fence->dev == current.dev && message.fence->ino == current.ino;
    if (message.growing && same_file && current.size >= message.fence->size) return *message.fence;
    TRY(check_fence(file.fd.get(), *message.fence, message.path));
    return *message.fence;
}

}  // namespace

JobPointer handle_read(Context& context, std::uint32_t request, std::string_view payload) {
    return start_job<proto::Read>(context, request, payload, [&](proto::Read message) -> Outcome<JobPointer> {
        TRY_ASSIGN(Root * root, context.roots.find(message.root));
        TRY_ASSIGN(const Place place, locate(*root, message.path, Need::look));
        TRY_ASSIGN(OpenedFile file, open_file(place));
        TRY_ASSIGN(const proto::Fence fence, agreed_fence(message, file));
        if (!ranges_fit(message, fence.size))
            return refuse(Reason::malformed, message.path, "past the end of the file");
        if (!leaves_fit(message))
            return refuse(Reason::malformed, message.path, "not one leaf of the base for each chunk");
        ::posix_fadvise(file.fd.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
        std::optional<Base> base;
        if (message.base) base.emplace(*root, std::move(*message.base));
        return JobPointer(
            std::make_unique<ReadJob>(request, std::move(message), std::move(file), fence, std::move(base)));
    });
}

}  // namespace drawhitch::helper
