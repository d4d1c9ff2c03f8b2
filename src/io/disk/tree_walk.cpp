#include "io/disk/tree_walk.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <vector>

namespace drawhitch::disk {

namespace {

// One descriptor is held per level; the usual limit is 1024 descriptors a process.
constexpr std::size_t k_deepest = 512;

proto::FileType type_of(mode_t mode) {
    if (S_ISDIR(mode)) return proto::FileType::directory;
    if (S_ISLNK(mode)) return proto::FileType::symlink;
    if (S_ISFIFO(mode)) return proto::FileType::fifo;
    if (S_ISSOCK(mode)) return proto::FileType::socket;
    if (S_ISREG(mode)) return proto::FileType::file;
    return proto::FileType::device;
}

std::int64_t nanoseconds(const struct timespec& time) {
    return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

Result<std::string> read_link(int directory, const std::string& name, std::string_view shown) {
    std::string target(4096, '\0');
    const ssize_t length = ::readlinkat(directory, name.c_str(), target.data(), target.size());
    if (length < 0) return errno_error(errno, "read the link", shown);
    target.resize(static_cast<std::size_t>(length));
    return target;
}

}  // namespace

proto::FileEntry entry_from_stat(std::string path, const struct stat& found) {
    proto::FileEntry entry{};
    entry.path = std::move(path);
    entry.type = type_of(found.st_mode);
    if (entry.type == proto::FileType::file || entry.type == proto::FileType::symlink) {
        entry.size = static_cast<std::uint64_t>(found.st_size);
    }
    entry.allocated = static_cast<std::uint64_t>(found.st_blocks) * 512U;  // POSIX: st_blocks counts 512-byte units
    entry.mtime_ns = nanoseconds(found.st_mtim);
    entry.ctime_ns = nanoseconds(found.st_ctim);
    entry.mode = found.st_mode & 07777U;
    entry.nlink = static_cast<std::uint32_t>(found.st_nlink);
    entry.dev = found.st_dev;
    entry.ino = found.st_ino;
    return entry;
}

namespace {

struct CloseDirectory {
    void operator()(DIR* directory) const { ::closedir(directory); }
};

class Walker {
  public:
    Walker(const Op& op, const WalkCallbacks& callbacks) : op_(op), callbacks_(callbacks) {}

    Status visit_directory(UniqueFd directory, const std::string& path, std::size_t depth) {
        auto names = list(directory.get(), path);
        if (!names) {
            if (depth == 0 || names.error().code == Code::cancelled || names.error().code == Code::deadline) {
                return std::move(names).error();
            }
            report(path, names.error());
            return ok();
        }
        for (std::string& name : *names) {
            TRY(op_.check());
            TRY(visit(directory.get(), path, name, depth));
            name = {};  // a directory of 200 000 names need not stay in memory behind us
        }
        return ok();
    }

  private:
    Result<std::vector<std::string>> list(int directory, std::string_view path) {
        // A descriptor of its own: closedir closes it, while the walk still needs the directory.
        UniqueFd own{::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
        if (!own) return errno_error(errno, "open the directory", path);
        std::unique_ptr<DIR, CloseDirectory> stream{::fdopendir(own.get())};
        if (!stream) return errno_error(errno, "open the directory", path);
        (void)own.release();  // now owned by `stream`
        std::vector<std::string> names;
        for (;;) {
            if (names.size() % 1024 == 0) TRY(op_.check());
            errno = 0;
            const dirent* found = ::readdir(stream.get());
            if (found == nullptr) break;
            const std::string_view name{found->d_name};
            if (name != "." && name != "..") names.emplace_back(name);
        }
        if (errno != 0) return errno_error(errno, "read the directory", path);
        std::sort(names.begin(), names.end());
        return names;
    }

    Status visit(int directory, const std::string& parent, const std::string& name, std::size_t depth) {
        std::string path = parent.empty() ? name : parent + "/" + name;
        struct stat found {};
        if (::fstatat(directory, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) {
            report(path, errno_error(errno, "look at", path));
            return ok();
        }
        proto::FileEntry entry = entry_from_stat(std::move(path), found);
        if (callbacks_.ignored && callbacks_.ignored(entry.path, entry.type)) return ok();
        if (entry.type == proto::FileType::symlink) {
            auto target = read_link(directory, name, entry.path);
            if (!target) {
                report(entry.path, target.error());
                return ok();
            }
            entry.target = std::move(target).value();
        }
        TRY(callbacks_.entry(entry));
        if (entry.type != proto::FileType::directory) return ok();
        return descend(directory, name, entry.path, depth);
    }

    Status descend(int directory, const std::string& name, const std::string& path, std::size_t depth) {
        if (depth + 1 >= k_deepest) {
            report(path, Error{Code::skipped, "left out all below " + path + ": more than 512 directories deep"});
            return ok();
        }
        UniqueFd below{::openat(directory, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
        if (!below) {
            report(path, errno_error(errno, "open the directory", path));
            return ok();
        }
        return visit_directory(std::move(below), path, depth + 1);
    }

    void report(std::string_view path, const Error& error) const {
        if (callbacks_.problem) callbacks_.problem(path, error);
    }

    const Op& op_;
    const WalkCallbacks& callbacks_;
};

}  // namespace

Status walk(const Op& op, const Root& root, const WalkCallbacks& callbacks) {
    TRY(op.check());
    TRY_ASSIGN(UniqueFd top, root.directory(""));
    return Walker{op, callbacks}.visit_directory(std::move(top), "", 0);
}

}  // namespace drawhitch::disk
