// The request `write_bundle`: many small files.
#include <fcntl.h>
#include <unistd.h>

#include "core/proto/bundle.hpp"
#include "core/proto/limits.hpp"
#include "core/proto/path.hpp"
#include "helper/handlers.hpp"
#include "helper/new_file.hpp"
#include "helper/rename.hpp"

namespace drawhitch::helper {

using proto::Reason;

namespace {

// Remembers the last directory within one block, as files of a directory usually come together.
class LastParent {
  public:
    explicit LastParent(const Root& root, bool make_parents) : root_(root), make_parents_(make_parents) {}

    Outcome<const Place*> find(const std::string& path) {
        const std::string_view parent = proto::path_parent(path);
        if (!known_ || parent != proto::path_parent(place_.path)) {
            known_ = false;
            TRY_ASSIGN(place_, locate_for_creation(root_, path, make_parents_));
            known_ = true;
            return &place_;
        }
        if (!proto::is_safe_path(path) || proto::is_private(path)) return refuse(Reason::unsafe_path, path);
        place_.path = path;
        place_.name = proto::path_name(path);
        return &place_;
    }

  private:
    const Root& root_;
    bool make_parents_{false};
    bool known_{false};
    Place place_{};
};

class BundleIncoming final : public Incoming {
  public:
    BundleIncoming(std::uint32_t request, Root& root, proto::WriteBundle message)
        : request_(request), root_(root), message_(std::move(message)) {}

    Done data(Context& context, std::string_view payload) override {
        auto chunk = assembler_.feed(payload);
        if (!chunk) return refuse(Reason::malformed, {}, chunk.error().message);
        if (!*chunk) return Unit{};
        proto::BundleAck ack;
        ack.block = (*chunk)->index;
        auto raw = context.codec.open(std::move(**chunk));
        if (!raw && raw.error().code != Code::integrity) return refuse(Reason::malformed, {}, raw.error().message);
        if (!raw) {
            ack.reason = Reason::integrity;
            context.channel.send(request_, ack);
            return Unit{};
        }
        const auto files = proto::decode_records<proto::NewFile>(*raw);
        if (!files) return refuse(Reason::malformed, {}, files.error().message);
        TRY(write_files(*files, ack));
        context.channel.send(request_, ack);
        return Unit{};
    }

    Done end(Context& context, const proto::WriteEnd& message) override {
        if (!assembler_.idle()) return refuse(Reason::malformed, {}, "the data ends within a block");
        if (message.sync) {
            TRY_ASSIGN(const UniqueFd directory, open_for_listing(root_.fd.get(), {}));
            if (::syncfs(directory.get()) != 0) return refuse_errno(errno, {});
        }
        context.answer(request_, proto::Written{written_, failed_});
        return Unit{};
    }

  private:
    // Failures of single files are noted in the ack; a lost claim ends the request.
    Done write_files(const std::vector<proto::NewFile>& files, proto::BundleAck& ack) {
        TRY_ASSIGN(const auto guard, guard_change(root_, message_.epoch));
        LastParent parents(root_, message_.make_parents);
        for (const proto::NewFile& file : files) {
            const Done done = write_file(file, parents);
            if (done) {
                ++ack.files;
            } else {
                ack.failures.push_back(proto::ItemFailure{file.index, done.error().reason, done.error().error});
            }
        }
        written_ += ack.files;
        failed_ += ack.failures.size();
        return Unit{};
    }

    Done write_file(const proto::NewFile& file, LastParent& parents) {
        if (file.content.size() > proto::k_small_max) return refuse(Reason::too_large, file.path);
        if (proto::content_digest(file.content) != file.digest) return refuse(Reason::integrity, file.path);
        const std::string path = message_.base.empty() ? file.path : message_.base + "/" + file.path;
        TRY_ASSIGN(const Place* place, parents.find(path));
        return message_.replace ? write_over(file, *place) : write_new(file, *place);
    }

    Done write_over(const proto::NewFile& file, const Place& place) {
        TRY_ASSIGN(const UniqueFd parts, open_parts(root_));
        TRY_ASSIGN(TemporaryFile temporary, TemporaryFile::create(parts.get(), place.path));
        TRY(temporary.fill(file.content, file.mode, file.mtime_ns));
        TRY(temporary.move_to(place, false));
        return Unit{};
    }

    static Done write_new(const proto::NewFile& file, const Place& place) {
        const UniqueFd fd{::openat(place.parent.get(), place.name.c_str(),
                                   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)};
        if (!fd) return refuse_create(errno, place.parent.get(), place.path);
        Done filled = fill_file(fd.get(), file.content, file.mode, file.mtime_ns, place.path);
        // Half a file must not look like one.
        if (!filled) ::unlinkat(place.parent.get(), place.name.c_str(), 0);
        return filled;
    }

    std::uint32_t request_{0};
    Root& root_;
    proto::WriteBundle message_{};
    proto::ChunkAssembler assembler_{};
    std::uint64_t written_{0};
    std::uint64_t failed_{0};
};

}  // namespace

JobPointer handle_write_bundle(Context& context, std::uint32_t request, std::string_view payload) {
    return start_job<proto::WriteBundle>(
        context, request, payload, [&](proto::WriteBundle message) -> Outcome<JobPointer> {
            TRY_ASSIGN(Root * root, context.roots.claimed(message.root, message.epoch));
            if (!message.base.empty()) TRY(locate_for_creation(*root, message.base, false));
            context.incoming.emplace(request, std::make_unique<BundleIncoming>(request, *root, std::move(message)));
            return JobPointer{};
        });
}

}  // namespace drawhitch::helper
