// The request `apply`: a list of changes, in order.
#include <fcntl.h>
#include <unistd.h>

#include "core/proto/limits.hpp"
#include "core/proto/path.hpp"
#include "helper/copier.hpp"
#include "helper/handlers.hpp"
#include "helper/remover.hpp"
#include "helper/rename.hpp"

namespace drawhitch::helper {

using proto::Change;
using proto::ChangeKind;
using proto::Reason;

namespace {

bool has(const Change& change, std::uint8_t flag) {
    return (change.flags & flag) != 0;
}

Done make_directory(const Root& root, const Change& change) {
    TRY_ASSIGN(const Place place, locate_for_creation(root, change.path, has(change, proto::k_change_parents)));
    const mode_t mode = change.mode & 01777U;
    if (::mkdirat(place.parent.get(), place.name.c_str(), mode) == 0) {
        // mkdir is subject to the umask, the wish is not.
        if (::fchmodat(place.parent.get(), place.name.c_str(), mode, 0) != 0) return refuse_errno(errno, place.path);
        return Unit{};
    }
    if (errno != EEXIST || !has(change, proto::k_change_exist_ok)) {
        return refuse_create(errno, place.parent.get(), place.path);
    }
    TRY(open_directory(place.parent.get(), place.name, place.path));
    return Unit{};
}

Done make_symlink(const Root& root, const Change& change) {
    TRY_ASSIGN(const Place place, locate_for_creation(root, change.path, has(change, proto::k_change_parents)));
    if (change.other.find('\0') != std::string::npos) return refuse(Reason::malformed, change.path);
    if (::symlinkat(change.other.c_str(), place.parent.get(), place.name.c_str()) != 0) {
        return errno == EPERM ? refuse(Reason::unsupported, place.path)
                              : refuse_create(errno, place.parent.get(), place.path);
    }
    return Unit{};
}

Done hard_link(const Root& root, const Change& change) {
    TRY_ASSIGN(const Place from, locate(root, change.other, Need::change));
    TRY_ASSIGN(const struct stat info, look_at(from));
    if (!S_ISREG(info.st_mode)) return refuse(Reason::not_a_file, from.path);
    TRY_ASSIGN(const Place place, locate_for_creation(root, change.path, has(change, proto::k_change_parents)));
    if (::linkat(from.parent.get(), from.name.c_str(), place.parent.get(), place.name.c_str(), 0) == 0) return Unit{};
    // EPERM: no links here, or not for files of others.
    if (errno == EPERM) return refuse(Reason::unsupported, place.path);
    return refuse_create(errno, place.parent.get(), place.path);
}

Done rename_entry(const Root& root, const Change& change) {
    TRY_ASSIGN(const Place from, locate(root, change.other, Need::change));
    TRY(look_at(from));
    TRY_ASSIGN(const Place place, locate_for_creation(root, change.path, has(change, proto::k_change_parents)));
    return rename_into(from.parent.get(), from.name, place, has(change, proto::k_change_no_replace));
}

Done set_executable(const Root& root, const Change& change) {
    TRY_ASSIGN(const Place place, locate(root, change.path, Need::change));
    TRY_ASSIGN(const OpenedFile file, open_file(place));
    const mode_t readable = file.info.st_mode & 0444U;
    const mode_t plain = file.info.st_mode & 0666U;
    const mode_t mode = change.mode == 0 ? plain : plain | (readable >> 2U);
    if (::fchmod(file.fd.get(), mode) != 0) return refuse_errno(errno, place.path);
    return Unit{};
}

class ApplyJob final : public Job {
  public:
    ApplyJob(Context& context, std::uint32_t request, Root& root, proto::Apply message)
        : request_(request), root_(root), message_(std::move(message)), pulse_(context.clock, request) {}

    Step step(Context& context) override {
        for (int i = 0; i < k_changes_per_step; ++i) {
            if (next_ >= message_.changes.size() || stopped_) return finish(context);
            const auto guard = guard_change(root_, message_.epoch);
            if (!guard) {
                context.refuse(request_, guard.error());
                return Step::done;
            }
            if (go_on_with(message_.changes[next_])) break;
        }
        pulse_.beat(context, next_, message_.changes.size());
        return Step::again;
    }

  private:
    static constexpr int k_changes_per_step = 100;

    // One step of the current change; true if a long one is not finished.
    bool go_on_with(const Change& change) {
        const Outcome<bool> finished = advance(change);
        if (finished && !*finished) return true;
        remover_.reset();
        copier_.reset();
        if (finished) {
            ++done_;
        } else {
            note(finished.error());
        }
        ++next_;
        return false;
    }

    void note(const proto::Refusal& why) {
        failures_.push_back(proto::ItemFailure{static_cast<std::uint32_t>(next_), why.reason, why.error});
        stopped_ = !message_.keep_going;
    }

    Outcome<bool> advance(const Change& change) {
        switch (change.kind) {
            case ChangeKind::make_directory:
                return at_once(make_directory(root_, change));
            case ChangeKind::make_symlink:
                return at_once(make_symlink(root_, change));
            case ChangeKind::hard_link:
                return at_once(hard_link(root_, change));
            case ChangeKind::rename:
                return at_once(rename_entry(root_, change));
            case ChangeKind::set_executable:
                return at_once(set_executable(root_, change));
            case ChangeKind::copy_file:
                return copy(change);
            case ChangeKind::remove:
                return remove(change);
        }
        return refuse(Reason::malformed);
    }

    static Outcome<bool> at_once(Done done) {
        TRY(std::move(done));
        return true;
    }

    Outcome<bool> copy(const Change& change) {
        if (!copier_) {
            TRY_ASSIGN(const Place from, locate(root_, change.other, Need::look));
            TRY_ASSIGN(Place to, locate_for_creation(root_, change.path, has(change, proto::k_change_parents)));
            TRY_ASSIGN(copier_, Copier::start(from, std::move(to)));
        }
        return copier_->step();
    }

    Outcome<bool> remove(const Change& change) {
        if (change.path == proto::k_private_dir) return at_once(root_.claim->give_up(root_.fd.get()));
        if (!remover_) {
            auto place = locate(root_, change.path, Need::discard);
            auto started = place ? Remover::start(std::move(place).value(), has(change, proto::k_change_recursive))
                                 : Outcome<Remover>(std::move(place).error());
            const bool missing = !started && started.error().reason == Reason::not_found;
            if (missing && has(change, proto::k_change_missing_ok)) return true;
            TRY_ASSIGN(remover_, std::move(started));
        }
        return remover_->step();
    }

    Step finish(Context& context) {
        context.answer(request_, proto::Applied{done_, std::move(failures_)});
        return Step::done;
    }

    std::uint32_t request_{0};
    Root& root_;
    proto::Apply message_{};
    Pulse pulse_;
    std::size_t next_{0};
    std::uint32_t done_{0};
    bool stopped_{false};
    std::vector<proto::ItemFailure> failures_{};
    std::optional<Copier> copier_{};
    std::optional<Remover> remover_{};
};

}  // namespace

JobPointer handle_apply(Context& context, std::uint32_t request, std::string_view payload) {
    return start_job<proto::Apply>(context, request, payload, [&](proto::Apply message) -> Outcome<JobPointer> {
        TRY_ASSIGN(Root * root, context.roots.claimed(message.root, message.epoch));
        return JobPointer(std::make_unique<ApplyJob>(context, request, *root, std::move(message)));
    });
}

}  // namespace drawhitch::helper
