// Requests about roots: open_root, claim, statvfs, sync; and stat.
#include <fcntl.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "helper/handlers.hpp"

namespace drawhitch::helper {

namespace {

constexpr std::size_t k_stat_paths_max = 16'384;

Outcome<proto::Claimed> claim_root(Context& context, const proto::Claim& request) {
    TRY_ASSIGN(Root * root, context.roots.find(request.root));
    struct stat top {};
    const bool is_top = ::stat("/", &top) == 0 && top.st_dev == root->info.st_dev && top.st_ino == root->info.st_ino;
    if (is_top) return refuse(proto::Reason::unsafe_path, "/", "the root directory of the box cannot be claimed");
    root->claim.reset();
    TRY_ASSIGN(root->claim, Claim::take(root->fd.get(), request));
    return proto::Claimed{root->claim->epoch(), root->claim->locking()};
}

Outcome<proto::Space> space_of(Context& context, const proto::StatVfs& request) {
    TRY_ASSIGN(Root * root, context.roots.find(request.root));
    TRY_ASSIGN(const Place place, locate(*root, request.path, Need::look));
    // O_PATH works for anything, a FIFO included, without opening it.
    const UniqueFd fd{::openat(place.parent.get(), place.name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC)};
    struct statvfs space {};
    struct statfs kind {};
    if (!fd || ::fstatvfs(fd.get(), &space) != 0 || ::fstatfs(fd.get(), &kind) != 0) {
        return refuse_errno(errno, request.path);
    }
    proto::Space answer;
    answer.bytes_total = std::uint64_t{space.f_blocks} * space.f_frsize;
    answer.bytes_free = std::uint64_t{space.f_bavail} * space.f_frsize;
    answer.inodes_total = space.f_files;
    answer.inodes_free = space.f_favail;
    answer.block_size = space.f_frsize;
    answer.fs_type = static_cast<std::uint64_t>(kind.f_type);
    answer.read_only = (space.f_flag & ST_RDONLY) != 0;
    answer.noexec = (space.f_flag & ST_NOEXEC) != 0;
    return answer;
}

Outcome<proto::Entries> look_at_all(Context& context, const proto::Stat& request) {
    TRY_ASSIGN(Root * root, context.roots.find(request.root));
    if (request.paths.size() > k_stat_paths_max) return refuse(proto::Reason::too_large);
    proto::Entries answer;
    for (const std::string& path : request.paths) {
        auto place = locate(*root, path, Need::look);
        if (place) {
            answer.entries.push_back(entry_of(*place));
        } else {
            proto::FileEntry& entry = answer.entries.emplace_back();
            entry.path = path;
            entry.error = place.error().error != 0 ? place.error().error : EINVAL;
        }
    }
    return answer;
}

Outcome<proto::Synced> sync_root(Context& context, const proto::Sync& request) {
    TRY_ASSIGN(Root * root, context.roots.find(request.root));
    TRY_ASSIGN(const UniqueFd directory, open_for_listing(root->fd.get(), {}));
    if (::syncfs(directory.get()) != 0) return refuse_errno(errno, {});
    return proto::Synced{};
}

}  // namespace

JobPointer handle_open_root(Context& context, std::uint32_t request, std::string_view payload) {
    return answer_at_once<proto::OpenRoot>(context, request, payload,
                                           [&](const proto::OpenRoot& message) { return context.roots.open(message); });
}

JobPointer handle_claim(Context& context, std::uint32_t request, std::string_view payload) {
    return answer_at_once<proto::Claim>(context, request, payload,
                                        [&](const proto::Claim& message) { return claim_root(context, message); });
}

JobPointer handle_statvfs(Context& context, std::uint32_t request, std::string_view payload) {
    return answer_at_once<proto::StatVfs>(context, request, payload,
                                          [&](const proto::StatVfs& message) { return space_of(context, message); });
}

JobPointer handle_stat(Context& context, std::uint32_t request, std::string_view payload) {
    return answer_at_once<proto::Stat>(context, request, payload,
                                       [&](const proto::Stat& message) { return look_at_all(context, message); });
}

JobPointer handle_sync(Context& context, std::uint32_t request, std::string_view payload) {
    return answer_at_once<proto::Sync>(context, request, payload,
                                       [&](const proto::Sync& message) { return sync_root(context, message); });
}

}  // namespace drawhitch::helper
