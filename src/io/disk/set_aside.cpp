#include "io/disk/set_aside.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/text.hpp"
#include "core/proto/path.hpp"

namespace drawhitch::disk {

namespace {

constexpr unsigned k_most_kept = 100'000;
constexpr std::size_t k_longest_name = 255;  // bytes; what Linux and macOS take

// POSIX has no rename that refuses to replace. Where the kernel or the file system knows none, a second link under the
// new name is as safe (it fails if the name is taken); where there are no links, an empty file of ours takes the name.
bool rename_to_free(int directory, const std::string& from, const std::string& to) {
#ifdef __linux__
    if (::renameat2(directory, from.c_str(), directory, to.c_str(), RENAME_NOREPLACE) == 0) return true;
    if (errno != EINVAL && errno != ENOSYS) return false;
#endif
    if (::linkat(directory, from.c_str(), directory, to.c_str(), 0) == 0) {
        return ::unlinkat(directory, from.c_str(), 0) == 0;
    }
    if (errno == EEXIST) return false;
    const int own = ::openat(directory, to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (own < 0) return false;
    ::close(own);
    if (::renameat(directory, from.c_str(), directory, to.c_str()) == 0) return true;
    const int why = errno;
    ::unlinkat(directory, to.c_str(), 0);
    errno = why;
    return false;
}

// A name that would become too long is cut, between two characters of UTF-8.
std::string numbered(std::string_view name, unsigned number) {
    const std::string ending = ".kept-" + std::to_string(number);
    std::size_t length = std::min(name.size(), k_longest_name - ending.size());
    while (length < name.size() && length > 1 && (static_cast<unsigned char>(name[length]) & 0xC0U) == 0x80U)
        --length;
    return std::string{name.substr(0, length)} + ending;
}

std::string beside(std::string_view path, const std::string& name) {
    const std::string_view parent = proto::path_parent(path);
    return parent.empty() ? name : std::string{parent} + "/" + name;
}

}  // namespace

Stamp stamp_of(const struct stat& found) {
    const auto ns = [](const struct timespec& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; };
    return {found.st_ino, static_cast<std::uint64_t>(found.st_size), ns(found.st_mtim), ns(found.st_ctim)};
}

Result<std::string> set_aside(int directory, std::string_view path, const NameTaken& taken) {
    const std::string name{proto::path_name(path)};
    for (unsigned number = 1; number <= k_most_kept; ++number) {
        const std::string other = numbered(name, number);
        const std::string to = beside(path, other);
        if (taken && taken(to)) continue;
        if (rename_to_free(directory, name, other)) return to;
        if (errno != EEXIST) return errno_error(errno, "move aside", path);
    }
    return Error{Code::exists, "there is no free name beside " + printable(path)};
}

Status set_back(int directory, const MovedAside& moved) {
    const std::string from{proto::path_name(moved.to)};
    if (rename_to_free(directory, from, std::string{proto::path_name(moved.path)})) return ok();
    return errno_error(errno, "move back", moved.path);
}

std::string aside_path(const Root& root, std::string_view path, const NameTaken& taken) {
    for (unsigned number = 1; number <= k_most_kept; ++number) {
        std::string to = beside(path, numbered(proto::path_name(path), number));
        if (!(taken && taken(to)) && !root.stat_entry(to)) return to;
    }
    return {};
}

}  // namespace drawhitch::disk
