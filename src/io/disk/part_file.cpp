#include "io/disk/part_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "base/random.hpp"
#include "core/proto/limits.hpp"
#include "io/disk/journal.hpp"

namespace drawhitch::disk {

namespace {

// After power loss at most this much is sent again (design section 6).
constexpr std::uint64_t k_flush_every = 64U << 20U;
constexpr long k_tmpfs_magic = 0x01021994;  // linux/magic.h

Result<UniqueFd> open_private(int directory, const std::string& name) {
    UniqueFd fd{::openat(directory, name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600)};
    if (!fd) return errno_error(errno, "open", name);
    struct stat found {};
    if (::fstat(fd.get(), &found) != 0) return errno_error(errno, "look at", name);
    if (!S_ISREG(found.st_mode)) return Error{Code::unsafe_path, "refused " + name + ": it is not a regular file"};
    return fd;
}

Result<std::uint64_t> size_of(int fd, const std::string& name) {
    struct stat found {};
    if (::fstat(fd, &found) != 0) return errno_error(errno, "look at", name);
    return static_cast<std::uint64_t>(found.st_size);
}

Status truncate_to(int fd, std::uint64_t size, const std::string& name) {
    if (::ftruncate(fd, static_cast<off_t>(size)) != 0) return errno_error(errno, "set the size of", name);
    return ok();
}

bool all_zero(std::string_view raw) {
    return raw.find_first_not_of('\0') == std::string_view::npos;
}

bool punch_hole(int fd, std::uint64_t offset, std::size_t length) {
    return ::fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                       static_cast<off_t>(length)) == 0;
}

}  // namespace

PartFile::PartFile(const std::string& name, PartPlan plan)
    : plan_(std::move(plan)), part_name_(name + ".part"), journal_name_(name + ".leaves") {
    leaves_.resize(static_cast<std::size_t>(proto::leaf_count(plan_.size)));
}

Result<std::unique_ptr<PartFile>> PartFile::open(const Op& op, int directory, const std::string& name,
                                                 const PartPlan& plan) {
    std::unique_ptr<PartFile> part{new PartFile(name, plan)};
    TRY(part->open_files(directory));
    TRY(part->load(op));
    return part;
}

Status PartFile::open_files(int directory) {
    TRY_ASSIGN(part_, open_private(directory, part_name_));
    TRY_ASSIGN(journal_, open_private(directory, journal_name_));
    return ok();
}

Status PartFile::load(const Op& op) {
    TRY_ASSIGN(const std::uint64_t length, size_of(journal_.get(), journal_name_));
    std::string journal(static_cast<std::size_t>(std::min<std::uint64_t>(length, k_longest_journal)), '\0');
    TRY_ASSIGN(const std::size_t filled, pread_full(journal_.get(), journal, 0, journal_name_));
    journal.resize(filled);
    return prove(op, journal);
}

Status PartFile::prove(const Op& op, const std::string& journal) {
    const JournalClaims claims = read_journal(journal);
    if (!claims.usable) return reset_files();
    TRY_ASSIGN(const std::uint64_t old_size, size_of(part_.get(), part_name_));
    const bool same = claims.identity == plan_.identity && old_size == plan_.size;
    std::vector<std::optional<proto::Digest>>& proved = same ? leaves_ : old_leaves_;
    proved.resize(static_cast<std::size_t>(proto::leaf_count(old_size)));
    std::string raw(proto::k_chunk, '\0');
    for (const auto& [index, leaf] : claims.leaves) {
        TRY(op.check());
        const std::size_t wanted = proto::leaf_size(old_size, index);
        if (wanted == 0) continue;
        TRY_ASSIGN(const std::size_t count,
                   pread_full(part_.get(), std::span{raw.data(), wanted}, index * proto::k_chunk, part_name_));
        if (count == wanted && proto::leaf_digest({raw.data(), wanted}) == leaf) {
            proved[static_cast<std::size_t>(index)] = leaf;
        }
    }
    if (!same) {
        TRY(truncate_to(part_.get(), plan_.size, part_name_));
        return begin_journal();
    }
    salt_ = journal_salt(journal);
    journal_end_ = claims.whole_bytes;
    return ok();
}

Status PartFile::reset_files() {
    TRY(truncate_to(part_.get(), 0, part_name_));
    TRY(truncate_to(part_.get(), plan_.size, part_name_));
    TRY(reserve());
    return begin_journal();
}

Status PartFile::begin_journal() {
    salt_ = random_bytes(k_journal_salt);
    const std::string head = journal_head(salt_, plan_.identity);
    TRY(truncate_to(journal_.get(), 0, journal_name_));
    TRY(pwrite_all(journal_.get(), head, 0, journal_name_));
    journal_end_ = head.size();
    return ok();
}

// Blocks are taken before the first byte is fetched, so that a full disk shows at once and leaves written out of order
// lie together. tmpfs would write zeros for it, and some file systems cannot: for them the free-space check must do.
Status PartFile::reserve() {
    if (plan_.size == 0 || plan_.allocated < plan_.size) return ok();
    struct statfs found {};
    if (::fstatfs(part_.get(), &found) != 0 || found.f_type == k_tmpfs_magic) return ok();
    if (::fallocate(part_.get(), 0, 0, static_cast<off_t>(plan_.size)) == 0) return ok();
    if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG) {
        return errno_error(errno, "reserve the space for", part_name_);
    }
    return ok();
}

bool PartFile::proven(std::uint64_t index) const {
    const std::lock_guard lock{mutex_};
    return index < leaves_.size() && leaves_[static_cast<std::size_t>(index)].has_value();
}

std::uint64_t PartFile::proven_count() const {
    const std::lock_guard lock{mutex_};
    return static_cast<std::uint64_t>(
        std::count_if(leaves_.begin(), leaves_.end(), [](const auto& leaf) { return leaf.has_value(); }));
}

std::uint64_t PartFile::proven_bytes() const {
    const std::lock_guard lock{mutex_};
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
        if (leaves_[i]) bytes += proto::leaf_size(plan_.size, i);
    }
    return bytes;
}

bool PartFile::has_earlier_state() const {
    const std::lock_guard lock{mutex_};
    return std::any_of(old_leaves_.begin(), old_leaves_.end(), [](const auto& leaf) { return leaf.has_value(); });
}

bool PartFile::adopt(std::uint64_t index, const proto::Digest& wanted) {
    const std::lock_guard lock{mutex_};
    const auto at = static_cast<std::size_t>(index);
    if (index >= leaves_.size() || index >= old_leaves_.size() || leaves_[at]) return false;
    if (old_leaves_[at] != wanted) return false;
    const std::string record = journal_record(salt_, index, wanted);
    if (!pwrite_all(journal_.get(), record, journal_end_, journal_name_)) return false;
    journal_end_ += record.size();
    leaves_[at] = wanted;
    return true;
}

Status PartFile::write_leaf(std::uint64_t index, std::string_view raw, const proto::Digest& leaf) {
    if (raw.empty() || raw.size() != proto::leaf_size(plan_.size, index)) {
        return Error{Code::protocol, "a chunk of " + part_name_ + " has the wrong size"};
    }
    const std::uint64_t offset = index * proto::k_chunk;
    const bool hole = plan_.allocated < plan_.size && all_zero(raw) && punch_hole(part_.get(), offset, raw.size());
    if (!hole) TRY(pwrite_all(part_.get(), raw, static_cast<std::size_t>(offset), part_name_));
    const std::lock_guard lock{mutex_};
    const std::string record = journal_record(salt_, index, leaf);
    TRY(pwrite_all(journal_.get(), record, journal_end_, journal_name_));
    journal_end_ += record.size();
    leaves_[static_cast<std::size_t>(index)] = leaf;
    unflushed_ += raw.size();
    return unflushed_ >= k_flush_every ? flush_locked() : ok();
}

Status PartFile::flush_locked() {
    unflushed_ = 0;
    if (::fdatasync(part_.get()) != 0) return errno_error(errno, "flush", part_name_);
    if (::fdatasync(journal_.get()) != 0) return errno_error(errno, "flush", journal_name_);
    return ok();
}

Result<std::size_t> PartFile::read(std::uint64_t offset, std::span<char> buffer) const {
    return pread_full(part_.get(), buffer, static_cast<std::size_t>(offset), part_name_);
}

std::vector<proto::Digest> PartFile::leaves() const {
    const std::lock_guard lock{mutex_};
    std::vector<proto::Digest> all;
    all.reserve(leaves_.size());
    for (const auto& leaf : leaves_) {
        all.push_back(leaf.value_or(proto::Digest{}));
    }
    return all;
}

Status PartFile::start_over() {
    const std::lock_guard lock{mutex_};
    leaves_.assign(leaves_.size(), std::nullopt);
    old_leaves_.clear();
    return reset_files();
}

Status PartFile::finish(std::uint32_t mode, std::int64_t mtime_ns) {
    if (::fchmod(part_.get(), static_cast<mode_t>(mode)) != 0 && errno != EPERM && errno != ENOTSUP) {
        return errno_error(errno, "set the mode of", part_name_);
    }
    // Times cannot be set on every tier; a file without its time is still the right file.
    const std::int64_t second = 1'000'000'000;
    const std::int64_t whole = mtime_ns / second - (mtime_ns % second < 0 ? 1 : 0);
    const struct timespec times[2] = {{whole, mtime_ns - whole * second}, {whole, mtime_ns - whole * second}};
    (void)::futimens(part_.get(), times);
    if (::fsync(part_.get()) != 0) return errno_error(errno, "flush", part_name_);
    return ok();
}

}  // namespace drawhitch::disk
