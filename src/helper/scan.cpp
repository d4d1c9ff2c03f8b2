// The request `scan`.
#include "core/proto/limits.hpp"
#include "helper/file_hasher.hpp"
#include "helper/handlers.hpp"
#include "helper/walker.hpp"

namespace drawhitch::helper {

namespace {

// Entries looked at in one step; each is a system call or two.
constexpr int k_entries_per_step = 500;
constexpr int k_page_level = 1;  // of zstd: pages are mostly names and zeros

class ScanJob final : public Job {
  public:
    ScanJob(Context& context, std::uint32_t request, const proto::Scan& message, Walker walker)
        : request_(request), message_(message), walker_(std::move(walker)), pulse_(context.clock, request) {}

    Step step(Context& context) override {
        if (hasher_) return hash_some(context);
        for (int i = 0; i < k_entries_per_step; ++i) {
            if (message_.max_entries != 0 && total_ >= message_.max_entries) return finish(context, true);
            auto entry = walker_.next();
            if (!entry) return finish(context, false);
            if (message_.digests && entry->type == proto::FileType::file && entry->error == 0) {
                if (add_from_cache(context, *entry)) continue;
                begin_hash(context, std::move(*entry));
                return Step::again;
            }
            add(context, *entry);
        }
        return Step::again;
    }

  private:
    bool add_from_cache(Context& context, proto::FileEntry& entry) {
        if (message_.rehash) return false;
        const auto known = context.cache.find(entry, message_.sha256);
        if (!known) return false;
        entry.root = known->root;
        if (message_.sha256) entry.sha256 = known->sha256;
        add(context, entry);
        return true;
    }

    void begin_hash(Context& context, proto::FileEntry entry) {
        auto place = walker_.place();
        auto hasher = place ? FileHasher::open(*place, entry.fence(), {}, message_.sha256)
                            : Outcome<FileHasher>(std::move(place).error());
        current_ = std::move(entry);
        if (hasher) {
            hasher_.emplace(std::move(hasher).value());
        } else {
            fail_hash(context, hasher.error());
        }
    }

    Step hash_some(Context& context) {
        Outcome<bool> finished = hasher_->step();
        if (!finished) {
            hasher_.reset();
            fail_hash(context, finished.error());
            return Step::again;
        }
        if (!*finished) {
            pulse_.beat(context, total_, 0);
            return Step::again;
        }
        const proto::FileDigester::Result result = hasher_->finish();
        current_.root = result.root;
        current_.sha256 = result.sha256;
        context.cache.put(current_, {result.root, result.sha256});
        hasher_.reset();
        add(context, current_);
        return Step::again;
    }

    void fail_hash(Context& context, const proto::Refusal& why) {
        current_.error = why.reason == proto::Reason::changed ? ESTALE : (why.error != 0 ? why.error : EIO);
        add(context, current_);
    }

    void add(Context& context, const proto::FileEntry& entry) {
        proto::Writer write(page_);
        write(entry);
        ++in_page_;
        ++total_;
        if (entry.error != 0) ++errors_;
        if (page_.size() >= proto::k_page_bytes) send_page(context);
    }

    void send_page(Context& context) {
        if (in_page_ == 0) return;
        std::string raw;
        proto::Writer write(raw);
        write(in_page_);
        raw += page_;
        codec::Encoded encoded = context.codec.encode(raw, codec::Choice{context.client_codecs, k_page_level});
        const auto raw_size = static_cast<std::uint32_t>(raw.size());
        context.channel.send(request_, proto::ScanPage{encoded.codec, raw_size, std::move(encoded.bytes)});
        page_.clear();
        in_page_ = 0;
    }

    Step finish(Context& context, bool truncated) {
        send_page(context);
        context.cache.flush();
        context.answer(request_, proto::ScanEnd{total_, errors_, truncated, context.clock.wall().seconds});
        return Step::done;
    }

    std::uint32_t request_{0};
    proto::Scan message_{};
    Walker walker_;
    Pulse pulse_;
    std::optional<FileHasher> hasher_{};
    proto::FileEntry current_{};
    std::string page_{};
    std::uint32_t in_page_{0};
    std::uint64_t total_{0};
    std::uint64_t errors_{0};
};

}  // namespace

JobPointer handle_scan(Context& context, std::uint32_t request, std::string_view payload) {
    return start_job<proto::Scan>(context, request, payload, [&](const proto::Scan& message) -> Outcome<JobPointer> {
        TRY_ASSIGN(Root * root, context.roots.find(message.root));
        TRY_ASSIGN(Walker walker, Walker::start(*root, WalkOptions{message.subtrees, message.skip, message.depth}));
        return JobPointer(std::make_unique<ScanJob>(context, request, message, std::move(walker)));
    });
}

}  // namespace drawhitch::helper
