// The request `hash`.
#include <algorithm>

#include "core/proto/limits.hpp"
#include "helper/file_hasher.hpp"
#include "helper/handlers.hpp"

namespace drawhitch::helper {

namespace {

class HashJob final : public Job {
  public:
    HashJob(Context& context, std::uint32_t request, proto::Hash message, Place place, FileHasher hasher)
        : request_(request),
          message_(std::move(message)),
          place_(std::move(place)),
          hasher_(std::move(hasher)),
          pulse_(context.clock, request) {}

    Step step(Context& context) override {
        Outcome<bool> finished = hasher_.step();
        if (!finished) {
            context.refuse(request_, std::move(finished).error());
            return Step::done;
        }
        if (!*finished) {
            pulse_.beat(context, hasher_.bytes_done(), hasher_.bytes_total());
            return Step::again;
        }
        finish(context);
        return Step::done;
    }

  private:
    void finish(Context& context) {
        const bool whole = hasher_.whole();
        proto::FileDigester::Result result = hasher_.finish();
        proto::Hashed answer{entry_of(hasher_.info(), place_.parent.get(), place_.name, place_.path)};
        if (whole) {
            answer.entry.root = result.root;
            context.cache.put(answer.entry, {result.root, result.sha256});
            context.cache.flush();
        }
        if (whole) answer.entry.sha256 = result.sha256;
        if (message_.leaves) send_leaves(context, result.leaves);
        context.answer(request_, answer);
    }

    void send_leaves(Context& context, const std::vector<proto::Digest>& leaves) {
        for (std::size_t at = 0; at < leaves.size(); at += proto::k_leaves_per_frame) {
            const std::size_t count = std::min(proto::k_leaves_per_frame, leaves.size() - at);
            const auto first = leaves.begin() + static_cast<std::ptrdiff_t>(at);
            context.channel.send(
                request_, proto::Leaves{message_.first + at, {first, first + static_cast<std::ptrdiff_t>(count)}});
        }
    }

    std::uint32_t request_{0};
    proto::Hash message_{};
    Place place_{};
    FileHasher hasher_;
    Pulse pulse_;
};

}  // namespace

JobPointer handle_hash(Context& context, std::uint32_t request, std::string_view payload) {
    return start_job<proto::Hash>(context, request, payload, [&](proto::Hash message) -> Outcome<JobPointer> {
        TRY_ASSIGN(Root * root, context.roots.find(message.root));
        TRY_ASSIGN(Place place, locate(*root, message.path, Need::look));
        TRY_ASSIGN(FileHasher hasher,
                   FileHasher::open(place, message.fence, HashRange{message.first, message.count}, message.sha256));
        return JobPointer(
            std::make_unique<HashJob>(context, request, std::move(message), std::move(place), std::move(hasher)));
    });
}

}  // namespace drawhitch::helper
