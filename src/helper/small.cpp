// The requests `read_small` and `write_small`.
#include <fcntl.h>
#include <unistd.h>

#include "core/proto/limits.hpp"
#include "helper/handlers.hpp"
#include "helper/new_file.hpp"
#include "helper/rename.hpp"

namespace drawhitch::helper {

using proto::Reason;

namespace {

Outcome<proto::Small> read_small(Context& context, const proto::ReadSmall& request) {
    TRY_ASSIGN(Root * root, context.roots.find(request.root));
    if (request.max > proto::k_small_max) return refuse(Reason::too_large, request.path);
    TRY_ASSIGN(const Place place, locate(*root, request.path, Need::look));
    TRY_ASSIGN(const OpenedFile file, open_file(place));
    proto::Small answer;
    answer.content.resize(request.max);
    const auto count = pread_full(file.fd.get(), answer.content, request.offset, request.path);
    if (!count) return refuse_errno(errno, request.path);
    answer.content.resize(*count);
    answer.entry = entry_of(file.info, place.parent.get(), place.name, request.path);
    return answer;
}

Outcome<proto::SmallWritten> write_small(Context& context, const proto::WriteSmall& request) {
    TRY_ASSIGN(Root * root, context.roots.claimed(request.root, request.epoch));
    if (request.content.size() > proto::k_small_max) return refuse(Reason::too_large, request.path);
    TRY_ASSIGN(const auto guard, guard_change(*root, request.epoch));
    TRY_ASSIGN(const Place place, locate_for_creation(*root, request.path, request.make_parents));
    TRY_ASSIGN(const UniqueFd parts, open_parts(*root));
    TRY_ASSIGN(TemporaryFile file, TemporaryFile::create(parts.get(), request.path));
    TRY(file.fill(request.content, request.mode, {}));
    TRY(sync_file(file.fd(), request.path));
    TRY_ASSIGN(const struct stat info, file.move_to(place, request.no_replace));
    TRY(sync_directory_of(place));
    return proto::SmallWritten{fence_of(info)};
}

}  // namespace

JobPointer handle_read_small(Context& context, std::uint32_t request, std::string_view payload) {
    return answer_at_once<proto::ReadSmall>(
        context, request, payload, [&](const proto::ReadSmall& message) { return read_small(context, message); });
}

JobPointer handle_write_small(Context& context, std::uint32_t request, std::string_view payload) {
    return answer_at_once<proto::WriteSmall>(
        context, request, payload, [&](const proto::WriteSmall& message) { return write_small(context, message); });
}

}  // namespace drawhitch::helper
