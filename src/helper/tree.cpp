// The request `tree_hash`.
#include "core/proto/path.hpp"
#include "core/proto/tree_hash.hpp"
#include "helper/file_hasher.hpp"
#include "helper/handlers.hpp"
#include "helper/walker.hpp"

namespace drawhitch::helper {

namespace {

// What proto::tree_hash keeps in memory, per entry: a bound for hostile or mistaken trees.
constexpr std::uint64_t k_entries_max = 2'000'000;

class TreeHashJob final : public Job {
  public:
    TreeHashJob(Context& context, std::uint32_t request, proto::TreeHash message, Walker walker)
        : request_(request), message_(std::move(message)), walker_(std::move(walker)), pulse_(context.clock, request) {}

    Step step(Context& context) override {
        Outcome<bool> finished = hasher_ ? hash_some(context) : take_entry(context);
        if (!finished) {
            context.refuse(request_, std::move(finished).error());
            return Step::done;
        }
        if (!*finished) {
            pulse_.beat(context, answer_.bytes, 0);
            return Step::again;
        }
        context.cache.flush();
        const auto digest = proto::tree_hash(entries_);
        if (digest) {
            answer_.digest = *digest;
            context.answer(request_, answer_);
        } else {
            context.refuse(request_, refuse(proto::Reason::unsupported, message_.path, digest.error().message));
        }
        return Step::done;
    }

  private:
    // True at the end of the tree.
    Outcome<bool> take_entry(Context& context) {
        auto entry = walker_.next();
        if (!entry) return true;
        if (entry->path == message_.path) {
            // The directory itself is listed first, unless it is the root.
            if (entry->error != 0) return refuse_errno(entry->error, entry->path);
            if (entry->type != proto::FileType::directory) {
                return refuse(proto::Reason::not_a_directory, message_.path);
            }
            return false;
        }
        const std::string full = entry->path;
        if (entry->error != 0) return refuse_errno(entry->error, full);
        if (entries_.size() >= k_entries_max) return refuse(proto::Reason::too_large, full);
        if (!message_.path.empty()) entry->path.erase(0, message_.path.size() + 1);
        entries_.push_back(std::move(*entry));
        if (entries_.back().type != proto::FileType::file) return false;
        if (const auto known = context.cache.find(entries_.back(), false); known && !message_.rehash) {
            take_digest(known->root);
            return false;
        }
        TRY_ASSIGN(const Place place, walker_.place());
        TRY_ASSIGN(hasher_, FileHasher::open(place, entries_.back().fence(), {}, false));
        return false;
    }

    void take_digest(const proto::Digest& root) {
        entries_.back().root = root;
        answer_.files += 1;
        answer_.bytes += entries_.back().size;
    }

    Outcome<bool> hash_some(Context& context) {
        TRY_ASSIGN(const bool finished, hasher_->step());
        if (!finished) return false;
        const proto::FileDigester::Result result = hasher_->finish();
        take_digest(result.root);
        context.cache.put(entries_.back(), {result.root, {}});
        hasher_.reset();
        return false;
    }

    std::uint32_t request_{0};
    proto::TreeHash message_{};
    Walker walker_;
    Pulse pulse_;
    std::optional<FileHasher> hasher_{};
    std::vector<proto::FileEntry> entries_{};
    proto::TreeHashed answer_{};
};

}  // namespace

JobPointer handle_tree_hash(Context& context, std::uint32_t request, std::string_view payload) {
    return start_job<proto::TreeHash>(context, request, payload, [&](proto::TreeHash message) -> Outcome<JobPointer> {
        TRY_ASSIGN(Root * root, context.roots.find(message.root));
        WalkOptions options;
        options.subtrees.push_back(message.path);
        TRY_ASSIGN(Walker walker, Walker::start(*root, std::move(options)));
        return JobPointer(std::make_unique<TreeHashJob>(context, request, std::move(message), std::move(walker)));
    });
}

}  // namespace drawhitch::helper
