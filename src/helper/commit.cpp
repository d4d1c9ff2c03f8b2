// The request `commit`: a part is proven and renamed into place.
#include <fcntl.h>
#include <unistd.h>

#include "helper/file_hasher.hpp"
#include "helper/handlers.hpp"
#include "helper/new_file.hpp"
#include "helper/rename.hpp"

namespace drawhitch::helper {

using proto::Reason;

namespace {

class CommitJob final : public Job {
  public:
    CommitJob(Context& context, std::uint32_t request, Root& root, proto::Commit message, FileHasher hasher)
        : request_(request),
          root_(root),
          message_(std::move(message)),
          hasher_(std::move(hasher)),
          pulse_(context.clock, request) {}

    Step step(Context& context) override {
        Outcome<bool> hashed = hasher_.step();
        if (hashed && !*hashed) {
            pulse_.beat(context, hasher_.bytes_done(), hasher_.bytes_total());
            return Step::again;
        }
        auto committed = hashed ? put_in_place() : Outcome<proto::Committed>(std::move(hashed).error());
        if (committed) {
            context.answer(request_, *committed);
        } else {
            context.refuse(request_, std::move(committed).error());
        }
        return Step::done;
    }

  private:
    Outcome<proto::Committed> put_in_place() {
        if (hasher_.finish().root != message_.digest) {
            return refuse(Reason::integrity, message_.path, "the part on the box is not what was announced");
        }
        TRY_ASSIGN(const UniqueFd parts, open_parts(root_));
        const UniqueFd part{::openat(parts.get(), message_.part.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)};
        if (!part) return refuse_errno(errno, message_.path);
        // Outside the guard, as it may take long and harms nobody.
        if (message_.sync) TRY(sync_file(part.get(), message_.path));
        TRY_ASSIGN(const auto guard, guard_change(root_, message_.epoch));
        // Still the file that was hashed, untouched since.
        TRY(check_fence(part.get(), fence_of(hasher_.info()), message_.path));
        TRY(set_mode_and_time(part.get(), message_.mode, message_.mtime_ns, message_.path));
        TRY_ASSIGN(const Place place, locate_for_creation(root_, message_.path, message_.make_parents));
        if (message_.sync) TRY(sync_file(part.get(), message_.path));
        TRY(rename_into(parts.get(), message_.part, place, message_.no_replace));
        if (message_.sync) TRY(sync_directory_of(place));
        struct stat info {};
        if (::fstat(part.get(), &info) != 0) return refuse_errno(errno, message_.path);
        return proto::Committed{fence_of(info)};
    }

    std::uint32_t request_{0};
    Root& root_;
    proto::Commit message_{};
    FileHasher hasher_;
    Pulse pulse_;
};

}  // namespace

JobPointer handle_commit(Context& context, std::uint32_t request, std::string_view payload) {
    return start_job<proto::Commit>(context, request, payload, [&](proto::Commit message) -> Outcome<JobPointer> {
        TRY_ASSIGN(Root * root, context.roots.claimed(message.root, message.epoch));
        if (!is_part_name(message.part)) return refuse(Reason::malformed, message.part, "not a name for a part");
        Place place;
        TRY_ASSIGN(place.parent, open_parts(*root));
        place.name = message.part;
        place.path = message.path;
        TRY_ASSIGN(FileHasher hasher, FileHasher::open(place, {}, {}, false));
        if (static_cast<std::uint64_t>(hasher.info().st_size) != message.size) {
            return refuse(Reason::integrity, message.path, "the part on the box has another size");
        }
        return JobPointer(std::make_unique<CommitJob>(context, request, *root, std::move(message), std::move(hasher)));
    });
}

}  // namespace drawhitch::helper
