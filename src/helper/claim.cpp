#include "helper/claim.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "core/proto/limits.hpp"
#include "core/proto/wire.hpp"

namespace drawhitch::helper {

using proto::Reason;

namespace {

constexpr std::string_view k_magic = "dhepoch1";
constexpr std::size_t k_owner_size = 16;
constexpr std::size_t k_note_max = 200;
constexpr int k_lock_tries = 200;  // x 50 ms = 10 s
constexpr int k_lock_pause_ms = 50;
constexpr int k_most_removals = 20;  // of the private directory by others, while one claim is made

// What the epoch file says. A damaged or empty one says 0: after a crash of the machine no older helper lives.
struct Record {
    std::uint64_t epoch{0};
    std::string owner{};
    std::string note{};
};

Record read_record(int fd) {
    std::array<char, 512> buffer{};
    const auto count = pread_full(fd, buffer, 0, "the epoch file");
    if (!count) return {};
    const std::string_view bytes(buffer.data(), *count);
    if (!bytes.starts_with(k_magic)) return {};
    proto::Reader read(bytes.substr(k_magic.size()));
    Record record;
    read(record.epoch);
    record.owner = read.take(k_owner_size);
    read(record.note);
    return read.ok() ? record : Record{};
}

Done write_record(int fd, const Record& record) {
    std::string bytes(k_magic);
    proto::Writer write(bytes);
    write(record.epoch);
    bytes.append(record.owner);
    write(record.note);
    // One small write, so that a reader sees the old number or the new one.
    const ssize_t count = ::pwrite(fd, bytes.data(), bytes.size(), 0);
    if (count < 0) return refuse_errno(errno, proto::k_private_dir);
    if (static_cast<std::size_t>(count) != bytes.size()) return refuse_errno(ENOSPC, proto::k_private_dir);
    // Some file systems cannot sync; then they also cannot lose power behind our back in a way that matters here.
    if (::fsync(fd) != 0 && errno != EINVAL && errno != ENOSYS) return refuse_errno(errno, proto::k_private_dir);
    return Unit{};
}

enum class Locked { yes, no, unsupported };

Locked try_lock(int fd, int how) {
    while (::flock(fd, how | LOCK_NB) != 0) {
        if (errno == EINTR) continue;
        return errno == EWOULDBLOCK ? Locked::no : Locked::unsupported;
    }
    return Locked::yes;
}

Locked wait_for_lock(int fd, int how) {
    for (int i = 0; i < k_lock_tries; ++i) {
        const Locked locked = try_lock(fd, how);
        if (locked != Locked::no) return locked;
        ::poll(nullptr, 0, k_lock_pause_ms);
    }
    return Locked::no;
}

Outcome<UniqueFd> open_private(int directory, const char* name) {
    UniqueFd fd{::openat(directory, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600)};
    if (!fd) return refuse_create(errno, directory, proto::k_private_dir);
    return fd;
}

Outcome<UniqueFd> open_private_dir(int root) {
    UniqueFd fd{::openat(root, proto::k_private_dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
    if (!fd) return refuse_errno(errno == ENOTDIR ? ELOOP : errno, proto::k_private_dir);
    return fd;
}

struct Files {
    UniqueFd epoch{};
    UniqueFd lock{};
    UniqueFd gate{};
};

Outcome<Files> open_files(int root) {
    TRY_ASSIGN(const UniqueFd directory, open_private_dir(root));
    Files files;
    TRY_ASSIGN(files.epoch, open_private(directory.get(), "epoch"));
    TRY_ASSIGN(files.lock, open_private(directory.get(), "lock"));
    TRY_ASSIGN(files.gate, open_private(directory.get(), "gate"));
    return files;
}

bool is_unlinked(int fd) {
    struct stat info {};
    return ::fstat(fd, &info) != 0 || info.st_nlink == 0;
}

// Whether a private directory has nothing in it but the files of claims, and parts that its own removal tests.
Outcome<bool> holds_only_ours(int directory) {
    UniqueFd copy{::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (!copy) return refuse_errno(errno, proto::k_private_dir);
    DIR* stream = ::fdopendir(copy.get());
    if (stream == nullptr) return refuse_errno(errno, proto::k_private_dir);
    (void)copy.release();  // the stream closes it
    bool ours = true;
    while (const dirent* entry = ::readdir(stream)) {
        const std::string_view name{entry->d_name};
        ours = ours &&
               (name == "." || name == ".." || name == "parts" || name == "epoch" || name == "gate" || name == "lock");
    }
    ::closedir(stream);
    return ours;
}

proto::Refusal busy(const Record& record) {
    return refuse(Reason::busy, {}, record.note.empty() ? "another transfer is at work" : record.note);
}

proto::Refusal fenced(std::uint64_t epoch) {
    proto::Refusal refusal = refuse(Reason::fenced);
    refusal.value = epoch;
    return refusal;
}

// The epoch this claim will have, by the rules of the protocol page.
Outcome<std::uint64_t> choose_epoch(const Record& record, const proto::Claim& request) {
    if (request.epoch == 0) return record.epoch + 1;
    if (request.epoch > record.epoch) return request.epoch;
    if (request.epoch == record.epoch && request.owner == record.owner) return record.epoch;
    return fenced(record.epoch);
}

}  // namespace

Outcome<Claim> Claim::take(int root, const proto::Claim& request) {
    if (request.owner.size() != k_owner_size || request.note.size() > k_note_max) return refuse(Reason::malformed);
    for (int i = 0; i < k_most_removals; ++i) {
        auto claim = take_once(root, request);
        if (!claim) return std::move(claim).error();
        if (*claim) return std::move(**claim);
    }
    return refuse(Reason::busy, {}, "other transfers come and go too fast");
}

Outcome<std::optional<Claim>> Claim::take_once(int root, const proto::Claim& request) {
    if (::mkdirat(root, proto::k_private_dir, 0700) != 0 && errno != EEXIST) {
        return refuse_create(errno, root, proto::k_private_dir);
    }
    Claim claim;
    auto files = open_files(root);
    // Removed while it was opened: what counts is made anew.
    if (!files && files.error().reason == Reason::not_found) return std::optional<Claim>{};
    if (!files) return std::move(files).error();
    claim.epoch_file_ = std::move(files->epoch);
    claim.lock_file_ = std::move(files->lock);
    // Claims take turns; closing the file ends the turn.
    const UniqueFd gate = std::move(files->gate);
    const Locked turn = wait_for_lock(gate.get(), LOCK_EX);
    for (const int file : {gate.get(), claim.epoch_file_.get(), claim.lock_file_.get()})
        if (is_unlinked(file)) return std::optional<Claim>{};
    const Record record = read_record(claim.epoch_file_.get());
    if (turn == Locked::no) return busy(record);
    claim.locking_ = turn == Locked::yes;

    TRY_ASSIGN(claim.epoch_, choose_epoch(record, request));
    const bool alone = try_lock(claim.lock_file_.get(), LOCK_EX) != Locked::no;
    if (!alone && record.owner != request.owner && !request.steal) return busy(record);
    (void)try_lock(claim.lock_file_.get(), LOCK_SH);  // cannot fail: it is taken exclusively in a claim's turn only
    if (claim.epoch_ == record.epoch) return std::optional{std::move(claim)};

    // First the new epoch, so that no older guard can pass any more; then wait out the writes that passed before.
    TRY(write_record(claim.epoch_file_.get(), Record{claim.epoch_, request.owner, request.note}));
    if (claim.locking_) {
        if (wait_for_lock(claim.epoch_file_.get(), LOCK_EX) == Locked::no) {
            return refuse(Reason::busy, {}, "a write of the transfer before this one is stuck");
        }
        ::flock(claim.epoch_file_.get(), LOCK_UN);
    }
    return std::optional{std::move(claim)};
}

Done Claim::give_up(int root) {
    if (!locking_) return refuse(Reason::unsupported);
    TRY_ASSIGN(const UniqueFd directory, open_private_dir(root));
    TRY_ASSIGN(const UniqueFd gate, open_private(directory.get(), "gate"));
    // Whoever has the turn may wait for the guard of this very call.
    if (try_lock(gate.get(), LOCK_EX) != Locked::yes) return refuse(Reason::busy);
    const Record record = read_record(epoch_file_.get());
    if (is_unlinked(epoch_file_.get()) || record.epoch != epoch_) return fenced(record.epoch);
    // A refused exchange gives the shared lock up, so it is taken again.
    const bool alone = try_lock(lock_file_.get(), LOCK_EX) == Locked::yes;
    (void)try_lock(lock_file_.get(), LOCK_SH);
    if (!alone) return busy(record);
    TRY_ASSIGN(const bool ours, holds_only_ours(directory.get()));
    if (!ours) return refuse(Reason::not_empty, proto::k_private_dir);
    if (::unlinkat(directory.get(), "parts", AT_REMOVEDIR) != 0 && errno != ENOENT) {
        return refuse_errno(errno, proto::k_parts_dir);
    }
    // In this order: whoever opens them meanwhile holds at least one that is gone, sees that, and begins again.
    for (const char* name : {"lock", "epoch", "gate"})
        if (::unlinkat(directory.get(), name, 0) != 0 && errno != ENOENT) return refuse_errno(errno, name);
    if (::unlinkat(root, proto::k_private_dir, AT_REMOVEDIR) != 0) return refuse_errno(errno, proto::k_private_dir);
    return Unit{};
}

Claim::Guard::~Guard() {
    if (fd_ >= 0) ::flock(fd_, LOCK_UN);
}

Outcome<Claim::Guard> Claim::guard() {
    const int fd = epoch_file_.get();
    if (locking_ && wait_for_lock(fd, LOCK_SH) != Locked::yes) return refuse(Reason::busy);
    Guard guard{locking_ ? fd : -1};
    struct stat info {};
    if (::fstat(fd, &info) != 0) return refuse_errno(errno, proto::k_private_dir);
    const Record record = read_record(fd);
    // An unlinked file means that the root was removed or replaced: whoever claims it now cannot see our locks.
    if (info.st_nlink == 0 || record.epoch != epoch_) return fenced(record.epoch);
    return guard;
}

std::uint64_t epoch_in_force(int root) {
    const UniqueFd directory{::openat(root, proto::k_private_dir, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
    if (!directory) return 0;
    const UniqueFd fd{::openat(directory.get(), "epoch", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
    return fd ? read_record(fd.get()).epoch : 0;
}

}  // namespace drawhitch::helper
