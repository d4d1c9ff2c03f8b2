#include "io/disk/landing.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/text.hpp"
#include "core/proto/digest.hpp"
#include "core/proto/limits.hpp"
#include "core/proto/path.hpp"
#include "io/disk/journal.hpp"
#include "io/disk/path.hpp"
#include "io/disk/space.hpp"
#include "io/disk/write_atomic.hpp"

namespace drawhitch::disk {

namespace {

// A private directory that exists already must be a real one.
Result<UniqueFd> private_directory(int parent, const std::string& name) {
    if (::mkdirat(parent, name.c_str(), 0700) != 0 && errno != EEXIST) {
        return errno_error(errno, "create the directory", name);
    }
    UniqueFd fd{::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
    if (!fd) return errno_error(errno == ENOTDIR ? ELOOP : errno, "use the directory", name);
    return fd;
}

// The only way to ask for the umask is to set it; done once per landing, before its threads start.
std::uint32_t current_umask() {
    const mode_t mask = ::umask(077);
    ::umask(mask);
    return mask;
}

Result<UniqueFd> take_lock(int directory, std::string_view shown) {
    UniqueFd lock{::openat(directory, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600)};
    if (!lock) return errno_error(errno, "create the lock of", shown);
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) return errno_error(errno, "lock", shown);
        return Error{Code::locked, "another drawhitch is already pulling into " + printable(shown)};
    }
    // One that ended just now took its lock's name away: a lock without a name keeps nobody out.
    struct stat held {};
    if (::fstat(lock.get(), &held) != 0) return errno_error(errno, "look at the lock of", shown);
    if (held.st_nlink == 0) return Error{Code::locked, "another drawhitch was pulling into " + printable(shown)};
    return lock;
}

Status write_small(int directory, const std::string& name, std::string_view data, const Look& look) {
    UniqueFd fd{::openat(directory, name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600)};
    if (!fd) return errno_error(errno, "create", name);
    TRY(write_all(fd.get(), data, name));
    (void)::fchmod(fd.get(), static_cast<mode_t>(look.mode));  // some tiers forbid it; the content counts
    const std::int64_t second = 1'000'000'000;
    const std::int64_t whole = look.mtime_ns / second - (look.mtime_ns % second < 0 ? 1 : 0);
    const struct timespec times[2] = {{whole, look.mtime_ns - whole * second}, {whole, look.mtime_ns - whole * second}};
    (void)::futimens(fd.get(), times);
#ifndef __linux__
    if (::fsync(fd.get()) != 0) return errno_error(errno, "flush", name);
#endif
    return ok();
}

Status flush_file_system(int fd, std::string_view shown) {
#ifdef __linux__
    if (::syncfs(fd) != 0) return errno_error(errno, "flush", shown);
#else
    (void)fd, (void)shown;  // each file was flushed as it was written
#endif
    return ok();
}

// Whatever fails for want of room says of what, and where.
template <class T>
Result<T> told(Result<T> result, const Root& destination) {
    if (result) return result;
    return explain_full(std::move(result).error(), destination.path());
}

// The same in the next attempt, and independent of what the box calls its files.
std::string part_name(std::string_view path) {
    return proto::sha256(path).hex().substr(0, 32);
}

std::vector<std::string> names_in(int directory) {
    std::vector<std::string> names;
    const int own = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* stream = own >= 0 ? ::fdopendir(own) : nullptr;
    if (stream == nullptr) {
        if (own >= 0) ::close(own);
        return names;
    }
    while (const dirent* found = ::readdir(stream)) {
        const std::string_view name{found->d_name};
        if (name != "." && name != "..") names.emplace_back(name);
    }
    ::closedir(stream);
    return names;
}

}  // namespace

Landing::Landing(Root destination, std::string id, UniqueFd directory, UniqueFd lock)
    : destination_(std::move(destination)),
      id_(std::move(id)),
      directory_(std::move(directory)),
      lock_(std::move(lock)),
      umask_(current_umask()) {}

Landing::~Landing() = default;

Result<std::unique_ptr<Landing>> Landing::open(Root destination, const std::string& id) {
    if (!is_plain_name(id)) return Error{Code::usage, "a pull id must be a plain name"};
    TRY_ASSIGN(const UniqueFd home, told(private_directory(destination.fd(), proto::k_private_dir), destination));
    auto directory = told(private_directory(home.get(), id), destination);
    auto lock = directory ? told(take_lock(directory->get(), destination.path()), destination)
                          : Result<UniqueFd>{directory.error()};
    if (!lock) {
        // Fails, rightly, where anything lies in them.
        ::unlinkat(home.get(), id.c_str(), AT_REMOVEDIR);
        ::unlinkat(destination.fd(), proto::k_private_dir, AT_REMOVEDIR);
        return std::move(lock).error();
    }
    return std::unique_ptr<Landing>{new Landing(std::move(destination), id, std::move(*directory), std::move(*lock))};
}

Status Landing::check_path(std::string_view path) {
    TRY(split_relative(path));
    if (proto::is_private(path)) {
        return Error{Code::unsafe_path, "refused " + printable(path) + ": the name is kept for drawhitch"};
    }
    return ok();
}

std::uint64_t Landing::held_of(const Root& destination, const std::string& id, std::string_view path,
                               const PartPlan& plan) {
    const std::string part = std::string{proto::k_private_dir} + "/" + id + "/" + part_name(path);
    const auto state = destination.stat_entry(part + ".part");
    if (!state || !S_ISREG(state->st_mode) || static_cast<std::uint64_t>(state->st_size) != plan.size) return 0;
    const auto journal = read_whole(destination, part + ".leaves", k_longest_journal);
    const JournalClaims claims = read_journal(journal ? std::string_view{*journal} : std::string_view{});
    if (!claims.usable || claims.identity != plan.identity) return 0;
    std::uint64_t bytes = 0;
    for (const auto& [index, leaf] : claims.leaves)
        bytes += index < proto::leaf_count(plan.size) ? proto::leaf_size(plan.size, index) : 0;
    return bytes;
}

Result<std::unique_ptr<PartFile>> Landing::part(const Op& op, std::string_view path, const PartPlan& plan) {
    TRY(check_path(path));
    return told(PartFile::open(op, directory_.get(), part_name(path), plan), destination_);
}

Status Landing::land(PartFile& part, std::string_view path, const Look& look) {
    TRY(check_path(path));
    TRY(told(part.finish(((look.mode & 0777U) & ~umask_) | 0600U, look.mtime_ns), destination_));
    TRY_ASSIGN(const UniqueFd parent, told(destination_.directory(proto::path_parent(path), true), destination_));
    {
        const std::lock_guard lock{mutex_};
        if (notebook_) {
            const std::string root = proto::root_digest(part.size(), part.leaves()).hex();
            TRY(told(notebook_->write(LandingNotebook::put_note(path, root)), destination_));
            TRY(told(notebook_->flush(), destination_));
        }
        TRY(told(put(parent.get(), part.part_name(), std::string{path}), destination_));
        moved_ = true;
        struct stat landed {};
        const std::string name{proto::path_name(path)};
        if (keeps_others_ && ::fstatat(parent.get(), name.c_str(), &landed, AT_SYMLINK_NOFOLLOW) == 0) {
            rules_.ours[std::string{path}] = stamp_of(landed);  // a later state of the same file may follow
        }
    }
    TRY(told(sync_directory(parent.get(), path), destination_));
    ::unlinkat(directory_.get(), part.journal_name().c_str(), 0);
    return ok();
}

Status Landing::add_small(std::string_view path, std::string_view data, const Look& look) {
    TRY(check_path(path));
    const std::lock_guard lock{mutex_};
    std::string name = "small-" + std::to_string(next_small_++);
    const Look masked{((look.mode & 0777U) & ~umask_) | 0600U, look.mtime_ns};
    TRY(told(write_small(directory_.get(), name, data, masked), destination_));
    waiting_.push_back({std::move(name), std::string{path}, keeps_others_ ? proto::content_digest(data).hex() : ""});
    waiting_bytes_ += data.size();
    return ok();
}

std::size_t Landing::waiting_files() const {
    const std::lock_guard lock{mutex_};
    return waiting_.size();
}

std::uint64_t Landing::waiting_bytes() const {
    const std::lock_guard lock{mutex_};
    return waiting_bytes_;
}

// Files of one directory are moved together, so that each directory is opened once.
Result<std::vector<Landing::Unlanded>> Landing::settle() {
    const std::lock_guard lock{mutex_};
    std::vector<Unlanded> unlanded;
    if (waiting_.empty() && !moved_) return unlanded;
    if (notebook_) {
        std::string notes;
        for (const Waiting& file : waiting_)
            notes += LandingNotebook::put_note(file.path, file.root);
        TRY(told(notebook_->write(notes), destination_));
    }
    TRY(told(flush_file_system(directory_.get(), destination_.path()), destination_));
    moved_ = false;
    if (waiting_.empty()) return unlanded;
    std::stable_sort(waiting_.begin(), waiting_.end(), [](const Waiting& a, const Waiting& b) {
        return proto::path_parent(a.path) < proto::path_parent(b.path);
    });
    for (std::size_t first = 0; first < waiting_.size();) {
        const std::string parent{proto::path_parent(waiting_[first].path)};
        std::size_t last = first;
        while (last < waiting_.size() && proto::path_parent(waiting_[last].path) == parent) {
            ++last;
        }
        move_group(first, last, parent, unlanded);
        first = last;
    }
    waiting_.clear();
    waiting_bytes_ = 0;
    TRY(told(flush_file_system(directory_.get(), destination_.path()), destination_));
    return unlanded;
}

void Landing::move_group(std::size_t first, std::size_t last, std::string_view parent,
                         std::vector<Unlanded>& unlanded) {
    const auto into = destination_.directory(parent, true);
    for (std::size_t i = first; i < last; ++i) {
        if (!into) {
            unlanded.push_back({waiting_[i].path, explain(into.error())});
            continue;
        }
        const Status done = put(into->get(), waiting_[i].temporary, waiting_[i].path);
        if (!done) unlanded.push_back({waiting_[i].path, explain(done.error())});
    }
#ifndef __linux__
    if (into) (void)sync_directory(into->get(), parent);  // on Linux one syncfs in `settle` does it
#endif
}

// Moves a private file to its name in the open `directory`; under mutex_. Should that fail, what was moved aside for it
// goes back.
Status Landing::put(int directory, const std::string& temporary, const std::string& path) {
    TRY_ASSIGN(const auto aside, clear_way(directory, path));
    const std::string name{proto::path_name(path)};
    if (::renameat(directory_.get(), temporary.c_str(), directory, name.c_str()) != 0) {
        const int why = errno;
        if (aside && set_back(directory, *aside)) aside_.pop_back();
        return errno_error(why, "move into place", path);
    }
    return ok();
}

// A directory is no file that anybody moves: the rename says so.
Result<std::optional<MovedAside>> Landing::clear_way(int directory, const std::string& path) {
    const std::optional<MovedAside> none{};
    if (!keeps_others_) return none;
    struct stat found {};
    const std::string name{proto::path_name(path)};
    if (::fstatat(directory, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0 || S_ISDIR(found.st_mode)) {
        return none;
    }
    const auto known = rules_.ours.find(path);
    if (known != rules_.ours.end() && known->second == stamp_of(found)) return none;
    TRY_ASSIGN(std::string to, set_aside(directory, path, rules_.taken));
    aside_.push_back({path, std::move(to)});
    TRY(notebook_->write(LandingNotebook::aside_note(aside_.back())));
    return std::optional{aside_.back()};
}

Status Landing::keep_others(KeepOthers rules) {
    const std::lock_guard lock{mutex_};
    TRY_ASSIGN(notebook_, told(LandingNotebook::open(directory_.get()), destination_));
    rules_ = std::move(rules);
    keeps_others_ = true;
    return ok();
}

std::vector<MovedAside> Landing::moved_aside() const {
    const std::lock_guard lock{mutex_};
    return aside_;
}

Error Landing::explain(Error error) const {
    return explain_full(std::move(error), destination_.path());
}

std::uint64_t Landing::held_bytes() const {
    std::uint64_t held = 0;
    for (const std::string& name : names_in(directory_.get())) {
        struct stat found {};
        if (name == LandingNotebook::k_name) continue;  // a word about what lies elsewhere
        if (::fstatat(directory_.get(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) continue;
        held += static_cast<std::uint64_t>(found.st_blocks) * 512U;
    }
    return held;
}

Status Landing::make_directory(std::string_view path) {
    TRY(check_path(path));
    TRY(told(destination_.directory(path, true), destination_));
    return ok();
}

Status Landing::make_symlink(std::string_view path, std::string_view target) {
    TRY(check_path(path));
    const std::lock_guard lock{mutex_};
    const std::string name = "small-" + std::to_string(next_small_++);
    ::unlinkat(directory_.get(), name.c_str(), 0);
    if (::symlinkat(std::string{target}.c_str(), directory_.get(), name.c_str()) != 0) {
        return explain_full(errno_error(errno, "create the link", path), destination_.path());
    }
    return told(destination_.place(directory_.get(), name, path), destination_);
}

Status Landing::discard() {
    TRY(settle());
    for (const std::string& name : names_in(directory_.get())) {
        ::unlinkat(directory_.get(), name.c_str(), 0);
    }
    const UniqueFd home{
        ::openat(destination_.fd(), proto::k_private_dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
    if (home) ::unlinkat(home.get(), id_.c_str(), AT_REMOVEDIR);
    ::unlinkat(destination_.fd(), proto::k_private_dir, AT_REMOVEDIR);  // fails, rightly, while other pulls live in it
    return ok();
}

}  // namespace drawhitch::disk
