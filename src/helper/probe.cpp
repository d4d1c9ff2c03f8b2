// The request `probe_root`: tries out what the file system can do, in a directory of its own that is removed again.
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/random.hpp"
#include "helper/handlers.hpp"
#include "helper/remover.hpp"
#include "helper/rename.hpp"

namespace drawhitch::helper {

namespace {

// A directory to play in; everything in it goes when the probe ends.
class Playground {
  public:
    Playground(UniqueFd parts, std::string name, UniqueFd directory)
        : parts_(std::move(parts)), name_(std::move(name)), directory_(std::move(directory)) {}
    Playground(Playground&&) = default;
    Playground& operator=(Playground&&) = default;
    ~Playground() {
        if (!directory_) return;
        directory_.reset();
        Place place;
        place.parent = std::move(parts_);
        place.name = name_;
        place.path = name_;
        auto remover = Remover::start(std::move(place), true);
        while (remover) {
            const auto finished = remover->step();
            if (!finished || *finished) break;
        }
    }

    [[nodiscard]] int fd() const { return directory_.get(); }

    UniqueFd create(const char* name, mode_t mode = 0600) const {
        return UniqueFd{::openat(fd(), name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode)};
    }
    [[nodiscard]] struct stat look(const char* name) const {
        struct stat info {};
        if (::fstatat(fd(), name, &info, AT_SYMLINK_NOFOLLOW) != 0) info.st_ino = 0;
        return info;
    }
    [[nodiscard]] bool has(const char* name) const { return look(name).st_ino != 0; }

  private:
    UniqueFd parts_{};
    std::string name_{};
    UniqueFd directory_{};
};

Outcome<Playground> make_playground(const Root& root) {
    TRY_ASSIGN(UniqueFd parts, open_parts(root));
    std::string name = "probe-" + random_hex(8);
    if (::mkdirat(parts.get(), name.c_str(), 0700) != 0) return refuse_create(errno, parts.get(), name);
    TRY_ASSIGN(UniqueFd directory, open_directory(parts.get(), name, name));
    return Playground(std::move(parts), std::move(name), std::move(directory));
}

void probe_names(const Playground& in, proto::RootProbed& found) {
    const UniqueFd upper = in.create("CaseProbe");
    found.case_folding = in.has("caseprobe");
    const UniqueFd composed = in.create("n\xC3\xA9");
    found.normalising = in.has("ne\xCC\x81");
}

void probe_links(const Playground& in, proto::RootProbed& found) {
    const UniqueFd file = in.create("file");
    found.hard_links =
        ::linkat(in.fd(), "file", in.fd(), "second", 0) == 0 && in.look("file").st_ino == in.look("second").st_ino;
    found.symlinks = ::symlinkat("file", in.fd(), "link") == 0 && S_ISLNK(in.look("link").st_mode);
    const auto before = in.look("file").st_ino;
    const bool moved = ::renameat(in.fd(), "file", in.fd(), "moved") == 0;
    struct stat open_info {};
    found.stable_inodes = moved && ::fstat(file.get(), &open_info) == 0 && open_info.st_ino == before &&
                          in.look("moved").st_ino == before;
}

void probe_rename(const Playground& in, proto::RootProbed& found) {
    const UniqueFd one = in.create("one");
    const UniqueFd two = in.create("two");
    Place to;
    to.parent.reset(::openat(in.fd(), ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
    to.name = "two";
    const Done refused = rename_into(in.fd(), "one", to, true);
    found.rename_no_replace = !refused && refused.error().reason == proto::Reason::exists && in.has("one");
    found.rename_replaces = ::renameat(in.fd(), "one", in.fd(), "two") == 0 && !in.has("one");
}

void probe_content(const Playground& in, proto::RootProbed& found) {
    const UniqueFd sparse = in.create("sparse");
    constexpr off_t size = 4 << 20;
    const bool written = sparse && ::pwrite(sparse.get(), "x", 1, size - 1) == 1;
    found.fsync = written && ::fsync(sparse.get()) == 0;
    found.sparse = written && in.look("sparse").st_blocks * 512 < size / 2;
    const UniqueFd clone = in.create("clone");
    found.reflink = clone && ::ioctl(clone.get(), FICLONE, sparse.get()) == 0;
}

// The coarsest step that explains what is left of a time with nine digits.
std::uint64_t step_of_time(const timespec& set, const timespec& got) {
    constexpr std::uint64_t second = 1'000'000'000;
    const std::uint64_t wanted =
        static_cast<std::uint64_t>(set.tv_sec) * second + static_cast<std::uint64_t>(set.tv_nsec);
    const std::uint64_t seen =
        static_cast<std::uint64_t>(got.tv_sec) * second + static_cast<std::uint64_t>(got.tv_nsec);
    for (const std::uint64_t step :
         {std::uint64_t{1}, std::uint64_t{100}, std::uint64_t{1000}, second / 1000, second}) {
        if (wanted / step * step == seen) return step;
    }
    return 2 * second;
}

void probe_metadata(const Playground& in, proto::RootProbed& found) {
    const UniqueFd file = in.create("mode");
    found.exec_bit = ::fchmod(file.get(), 0700) == 0 && (in.look("mode").st_mode & 0100U) != 0;
    ::fchmod(file.get(), 0600);
    found.exec_bit = found.exec_bit && (in.look("mode").st_mode & 0100U) == 0;
    ::fchmod(file.get(), 0700);
    // The kernel answers this with "no" on a file system mounted noexec, for root, too.
    found.exec = ::faccessat(in.fd(), "mode", X_OK, 0) == 0;
    const timespec times[2] = {{0, UTIME_OMIT}, {1'000'000'001, 123'456'789}};
    if (::futimens(file.get(), times) == 0) found.mtime_step_ns = step_of_time(times[1], in.look("mode").st_mtim);
}

Outcome<proto::RootProbed> probe_root(Context& context, const proto::ProbeRoot& request) {
    TRY_ASSIGN(Root * root, context.roots.claimed(request.root, request.epoch));
    TRY_ASSIGN(const auto guard, guard_change(*root, request.epoch));
    TRY_ASSIGN(const Playground playground, make_playground(*root));
    proto::RootProbed found;
    probe_names(playground, found);
    probe_links(playground, found);
    probe_rename(playground, found);
    probe_content(playground, found);
    probe_metadata(playground, found);
    struct statfs kind {};
    if (::fstatfs(playground.fd(), &kind) == 0) found.fs_type = static_cast<std::uint64_t>(kind.f_type);
    return found;
}

}  // namespace

JobPointer handle_probe_root(Context& context, std::uint32_t request, std::string_view payload) {
    return answer_at_once<proto::ProbeRoot>(
        context, request, payload, [&](const proto::ProbeRoot& message) { return probe_root(context, message); });
}

}  // namespace drawhitch::helper
