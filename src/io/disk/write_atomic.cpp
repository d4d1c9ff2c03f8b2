#include "io/disk/write_atomic.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/random.hpp"
#include "base/text.hpp"
#include "io/disk/space.hpp"

namespace drawhitch::disk {

namespace {

// Removes the new file unless it was renamed away.
class Draft {
  public:
    Draft(int directory, std::string name) : directory_(directory), name_(std::move(name)) {}
    Draft(const Draft&) = delete;
    Draft& operator=(const Draft&) = delete;
    ~Draft() {
        if (!name_.empty()) ::unlinkat(directory_, name_.c_str(), 0);
    }
    [[nodiscard]] const std::string& name() const { return name_; }
    void keep() { name_.clear(); }

  private:
    int directory_;
    std::string name_;
};

// `shown` is the file it becomes: the draft's name means nothing to anybody.
Status write_draft(int directory, const std::string& name, std::string_view data, unsigned mode,
                   std::string_view shown) {
    UniqueFd fd{::openat(directory, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)};
    if (!fd) return errno_error(errno, "write", shown);
    TRY(write_all(fd.get(), data, shown));
    if (::fsync(fd.get()) != 0) return errno_error(errno, "flush", shown);
    return ok();
}

Result<std::string> read_open(int fd, std::string_view shown, std::size_t limit) {
    std::string data;
    char piece[65536];
    for (;;) {
        TRY_ASSIGN(const std::size_t count, read_full(fd, piece, shown));
        if (data.size() + count > limit) {
            return Error{Code::local_io,
                         "cannot read " + printable(shown) + ": it is larger than " + human_bytes(limit)};
        }
        data.append(piece, count);
        if (count < sizeof piece) return data;
    }
}

}  // namespace

Status write_atomic(const Root& root, std::string_view path, std::string_view data, unsigned mode) {
    const SplitPath where = split_last(path);
    TRY_ASSIGN(const UniqueFd parent, root.directory(where.parent, true));
    Draft draft{parent.get(), ".drawhitch-" + random_hex(8)};
    const std::string shown = root.path() + "/" + std::string{path};
    if (Status written = write_draft(parent.get(), draft.name(), data, mode, shown); !written) {
        return explain_full(std::move(written).error(), root.path());
    }
    TRY(root.place(parent.get(), draft.name(), path));
    draft.keep();
    return ok();
}

Status write_atomic(const std::string& path, std::string_view data, unsigned mode) {
    const SplitPath where = split_last(path);
    const bool at_top = where.parent.empty() && path.starts_with('/');
    TRY_ASSIGN(const Root root, Root::open(at_top ? "/" : where.parent.empty() ? "." : std::string{where.parent}));
    return write_atomic(root, where.name, data, mode);
}

Result<std::string> read_whole(const Root& root, std::string_view path, std::size_t limit) {
    TRY_ASSIGN(const UniqueFd fd, root.read_file(path));
    return read_open(fd.get(), path, limit);
}

Result<std::string> read_whole(const std::string& path, std::size_t limit) {
    const UniqueFd fd{::open(path.c_str(), O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)};
    if (!fd) return errno_error(errno, "open", path);
    return read_open(fd.get(), path, limit);
}

}  // namespace drawhitch::disk
