#include "helper/file_hasher.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "core/proto/limits.hpp"
#include "helper/leaf_hasher.hpp"

namespace drawhitch::helper {

namespace {

constexpr std::size_t k_step = 4U << 20U;
constexpr unsigned k_most_threads = 4;        // a job of the user's is at work there, too
constexpr std::size_t k_piece = 256U << 10U;  // stays in the cache between read and hash

}  // namespace

Done check_fence(int fd, const proto::Fence& fence, std::string_view path) {
    struct stat info {};
    if (::fstat(fd, &info) != 0) return refuse_errno(errno, path);
    const proto::Fence current = fence_of(info);
    if (current == fence) return Unit{};
    proto::Refusal refusal = refuse(proto::Reason::changed, path);
    refusal.current = current;
    return refusal;
}

bool continues_at(int fd, std::uint64_t size) {
    char byte = 0;
    return ::pread(fd, &byte, 1, static_cast<off_t>(size)) > 0;
}

Outcome<FileHasher> FileHasher::open(const Place& place, const std::optional<proto::Fence>& fence, HashRange range,
                                     bool with_sha256, unsigned threads) {
    FileHasher hasher;
    TRY_ASSIGN(hasher.file_, open_file(place));
    hasher.path_ = place.path;
    hasher.fence_ = fence.value_or(fence_of(hasher.file_.info));
    TRY(check_fence(hasher.file_.fd.get(), hasher.fence_, place.path));
    const std::uint64_t size = hasher.fence_.size;
    const std::uint64_t leaves = proto::leaf_count(size);
    const std::uint64_t first = std::min(range.first, leaves);
    const std::uint64_t count = range.count == 0 ? leaves - first : std::min(range.count, leaves - first);
    hasher.begin_ = std::min(size, first * proto::k_chunk);
    hasher.end_ = std::min(size, (first + count) * proto::k_chunk);
    hasher.digester_ = proto::FileDigester(with_sha256);
    if (!with_sha256 && hasher.bytes_total() > k_step)
        hasher.threads_ = threads != 0 ? threads : std::min(usable_cores(), k_most_threads);
    ::posix_fadvise(hasher.file_.fd.get(), static_cast<off_t>(hasher.begin_), static_cast<off_t>(hasher.bytes_total()),
                    POSIX_FADV_SEQUENTIAL);
    return hasher;
}

// Shorter than its fence: changed, unless the file system lies about sizes.
Done FileHasher::cut_short() const {
    TRY(check_fence(file_.fd.get(), fence_, path_));
    return refuse(proto::Reason::untrue_size, path_);
}

Done FileHasher::hash_some() {
    std::string buffer(k_piece, '\0');
    for (std::size_t hashed = 0; hashed < k_step && begin_ + done_ < end_;) {
        const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(k_piece, end_ - begin_ - done_));
        const auto count = pread_full(file_.fd.get(), std::span(buffer.data(), wanted), begin_ + done_, path_);
        if (!count) return refuse_errno(errno, path_);
        if (*count != wanted) return cut_short();
        digester_.update(std::string_view(buffer.data(), wanted));
        done_ += wanted;
        hashed += wanted;
    }
    return Unit{};
}

Done FileHasher::hash_beside() {
    const std::uint64_t bytes = std::min<std::uint64_t>(k_step * threads_, end_ - begin_ - done_);
    const HashedLeaves hashed = hash_leaves(file_.fd.get(), begin_ + done_, bytes, threads_);
    if (hashed.error != 0) return refuse_errno(hashed.error, path_);
    if (hashed.cut) return cut_short();
    digester_.update(hashed.leaves, bytes);
    done_ += bytes;
    return Unit{};
}

Outcome<bool> FileHasher::step() {
    TRY(threads_ > 1 ? hash_beside() : hash_some());
    const bool over = begin_ + done_ >= end_;
    const bool more = over && end_ == fence_.size && continues_at(file_.fd.get(), end_);
    TRY(check_fence(file_.fd.get(), fence_, path_));
    if (more) return refuse(proto::Reason::untrue_size, path_);
    return over;
}

}  // namespace drawhitch::helper
