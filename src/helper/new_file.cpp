#include "helper/new_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "base/random.hpp"
#include "helper/rename.hpp"

namespace drawhitch::helper {

namespace {

constexpr std::uint32_t k_mode_bits = 01777;  // what a client may set: no set-user-id, no set-group-id

}  // namespace

Done set_mode_and_time(int fd, std::uint32_t mode, std::optional<std::int64_t> mtime_ns, std::string_view path) {
    if (::fchmod(fd, mode & k_mode_bits) != 0) return refuse_errno(errno, path);
    if (!mtime_ns) return Unit{};
    constexpr std::int64_t second = 1'000'000'000;
    const std::int64_t below = (*mtime_ns % second + second) % second;  // before 1970, too, nanoseconds are positive
    timespec times[2] = {};
    times[0].tv_nsec = UTIME_OMIT;
    times[1].tv_sec = static_cast<time_t>((*mtime_ns - below) / second);
    times[1].tv_nsec = static_cast<long>(below);
    if (::futimens(fd, times) != 0) return refuse_errno(errno, path);
    return Unit{};
}

Done fill_file(int fd, std::string_view content, std::uint32_t mode, std::optional<std::int64_t> mtime_ns,
               std::string_view path) {
    if (!write_all(fd, content, path)) return refuse_errno(errno, path);
    return set_mode_and_time(fd, mode, mtime_ns, path);
}

Outcome<TemporaryFile> TemporaryFile::create(int parts, std::string_view path) {
    TemporaryFile file;
    std::string name = "tmp-" + random_hex(8);
    file.fd_.reset(::openat(parts, name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file.fd_) return refuse_create(errno, parts, path);
    file.parts_ = parts;
    file.name_ = std::move(name);
    file.path_ = path;
    return file;
}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : parts_(other.parts_),
      name_(std::exchange(other.name_, {})),
      path_(std::move(other.path_)),
      fd_(std::move(other.fd_)) {}

TemporaryFile::~TemporaryFile() {
    if (!name_.empty()) ::unlinkat(parts_, name_.c_str(), 0);
}

Outcome<struct stat> TemporaryFile::move_to(const Place& place, bool no_replace) {
    struct stat info {};
    if (::fstat(fd_.get(), &info) != 0) return refuse_errno(errno, path_);
    TRY(rename_into(parts_, name_, place, no_replace));
    name_.clear();
    return info;
}

}  // namespace drawhitch::helper
