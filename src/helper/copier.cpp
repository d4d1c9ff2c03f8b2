#include "helper/copier.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "helper/file_hasher.hpp"
#include "helper/new_file.hpp"

namespace drawhitch::helper {

namespace {

constexpr std::size_t k_copy_step = 8U << 20U;
constexpr std::size_t k_copy_piece = 256U << 10U;

}  // namespace

Outcome<Copier> Copier::start(const Place& from, Place to) {
    Copier copier;
    TRY_ASSIGN(copier.source_, open_file(from));
    copier.target_.reset(
        ::openat(to.parent.get(), to.name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!copier.target_) return refuse_create(errno, to.parent.get(), to.path);
    copier.to_ = std::move(to);
    const bool cloned = ::ioctl(copier.target_.get(), FICLONE, copier.source_.fd.get()) == 0;
    if (cloned) copier.done_ = static_cast<std::uint64_t>(copier.source_.info.st_size);
    return copier;
}

Copier::~Copier() {
    if (target_ && !finished_) ::unlinkat(to_.parent.get(), to_.name.c_str(), 0);
}

Outcome<bool> Copier::step() {
    const auto size = static_cast<std::uint64_t>(source_.info.st_size);
    for (std::uint64_t copied = 0; copied < k_copy_step && done_ < size;) {
        TRY_ASSIGN(const std::uint64_t count, copy_some());
        if (count == 0) break;
        done_ += count;
        copied += count;
    }
    // A source that changes would leave a copy of no state it ever had.
    TRY(check_fence(source_.fd.get(), fence_of(source_.info), to_.path));
    if (done_ < size) return false;
    TRY(set_mode_and_time(target_.get(), source_.info.st_mode & 0777U, fence_of(source_.info).mtime_ns, to_.path));
    finished_ = true;
    return true;
}

Outcome<std::uint64_t> Copier::copy_some() {
    if (by_hand_) return copy_by_hand();
    const long count =
        ::syscall(SYS_copy_file_range, source_.fd.get(), nullptr, target_.get(), nullptr, k_copy_step, 0U);
    if (count > 0) return static_cast<std::uint64_t>(count);
    if (count < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)) return refuse_errno(errno, to_.path);
    // Old kernels, other devices, odd file systems; and some that answer 0 although there is more.
    by_hand_ = true;
    return copy_by_hand();
}

Outcome<std::uint64_t> Copier::copy_by_hand() {
    std::string buffer(k_copy_piece, '\0');
    const auto count = pread_full(source_.fd.get(), buffer, done_, to_.path);
    if (!count) return refuse_errno(errno, to_.path);
    buffer.resize(*count);
    if (!pwrite_all(target_.get(), buffer, done_, to_.path)) return refuse_errno(errno, to_.path);
    return std::uint64_t{*count};
}

}  // namespace drawhitch::helper
