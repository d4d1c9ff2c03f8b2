// The request `read_bundle`: many small files in blocks.
#include <unistd.h>

#include "core/proto/bundle.hpp"
#include "core/proto/limits.hpp"
#include "helper/file_hasher.hpp"
#include "helper/handlers.hpp"
#include "helper/sender.hpp"

namespace drawhitch::helper {

using proto::Reason;

namespace {

constexpr int k_files_per_step = 64;

proto::BundleFile failed(std::uint32_t index, const proto::Refusal& why) {
    proto::BundleFile record;
    record.index = index;
    record.reason = why.reason;
    record.error = why.error;
    record.fence = why.current;
    return record;
}

Outcome<proto::BundleFile> read_item(const Root& root, const proto::BundleItem& item) {
    TRY_ASSIGN(const Place place, locate(root, item.path, Need::look));
    TRY_ASSIGN(const OpenedFile file, open_file(place));
    const proto::Fence fence = item.fence.value_or(fence_of(file.info));
    TRY(check_fence(file.fd.get(), fence, item.path));
    if (fence.size > proto::k_small_max) return refuse(Reason::too_large, item.path);
    proto::BundleFile record;
    record.content.resize(static_cast<std::size_t>(fence.size));
    const auto count = pread_full(file.fd.get(), record.content, 0, item.path);
    if (!count) return refuse_errno(errno, item.path);
    const bool more = continues_at(file.fd.get(), fence.size);
    TRY(check_fence(file.fd.get(), fence, item.path));
    if (more || *count != record.content.size()) return refuse(Reason::untrue_size, item.path);
    record.fence = fence;
    record.digest = proto::content_digest(record.content);
    return record;
}

class ReadBundleJob final : public Job {
  public:
    ReadBundleJob(std::uint32_t request, proto::ReadBundle message, const Root& root)
        : request_(request), message_(std::move(message)), root_(root), sender_(request) {}

    Step step(Context& context) override {
        if (!sender_.send(context)) return Step::wait;
        for (int i = 0; i < k_files_per_step && next_ < message_.items.size(); ++i) {
            const std::string record = record_of(static_cast<std::uint32_t>(next_));
            const bool full = !block_.empty() && block_.size() + record.size() > proto::k_chunk;
            if (full) send_block(context);
            block_ += record;
            ++next_;
            if (full) return sender_.send(context) ? Step::again : Step::wait;
        }
        if (next_ < message_.items.size()) return Step::again;
        if (!block_.empty()) {
            send_block(context);
            return sender_.send(context) ? Step::again : Step::wait;
        }
        context.answer(request_, proto::ReadEnd{blocks_, {}});
        return Step::done;
    }

  private:
    std::string record_of(std::uint32_t index) {
        auto record = read_item(root_, message_.items[index]);
        if (!record) return proto::encode(failed(index, record.error()));
        record->index = index;
        return proto::encode(*record);
    }

    void send_block(Context& context) {
        sender_.start(context.codec.seal(blocks_, block_, codec::Choice{message_.codecs, message_.level}));
        ++blocks_;
        block_.clear();
    }

    std::uint32_t request_{0};
    proto::ReadBundle message_{};
    const Root& root_;
    ChunkSender sender_;
    std::string block_{};
    std::size_t next_{0};
    std::uint32_t blocks_{0};
};

}  // namespace

JobPointer handle_read_bundle(Context& context, std::uint32_t request, std::string_view payload) {
    return start_job<proto::ReadBundle>(
        context, request, payload, [&](proto::ReadBundle message) -> Outcome<JobPointer> {
            TRY_ASSIGN(Root * root, context.roots.find(message.root));
            return JobPointer(std::make_unique<ReadBundleJob>(request, std::move(message), *root));
        });
}

}  // namespace drawhitch::helper
