#include "helper/digest_cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/fd.hpp"
#include "core/proto/wire.hpp"

namespace drawhitch::helper {

namespace {

constexpr std::int64_t k_rest_ns = 2'000'000'000;
constexpr std::size_t k_file_max = 48U << 20U;  // some 450 000 files; beyond it starts anew
constexpr std::size_t k_check_size = 8;

constexpr std::size_t k_record_size = 32 + 8 + 32 + 1 + 32 + k_check_size;

std::string check_of(std::string_view bytes) {
    return std::string(proto::sha256(bytes).view().substr(0, k_check_size));
}

}  // namespace

// Fixed in size, so that a torn one harms no other: key, root, whether a SHA-256 follows and it, and a check over all.
struct DigestCache::Record {
    Key key{};
    proto::Digest root{};
    bool has_sha256{false};
    proto::Digest sha256{};

    template <class F>
    void visit(F& f) {
        f(key), f(root), f(has_sha256), f(sha256);
    }

    [[nodiscard]] std::string to_bytes() const {
        std::string bytes = proto::encode(*this);
        return bytes + check_of(bytes);
    }
    static std::optional<Record> from_bytes(std::string_view bytes) {
        const std::string_view body = bytes.substr(0, bytes.size() - k_check_size);
        if (check_of(body) != bytes.substr(body.size())) return std::nullopt;
        Record record;
        proto::Reader read(body);
        read(record);
        return read.ok() ? std::optional<Record>(record) : std::nullopt;
    }
};

std::size_t DigestCache::Hasher::operator()(const Key& key) const {
    const proto::Fence& fence = key.fence;
    std::uint64_t mixed = fence.ino * 0x9E3779B97F4A7C15U;
    mixed ^= static_cast<std::uint64_t>(key.ctime_ns) + (mixed >> 29U);
    mixed = (mixed ^ fence.size ^ (fence.dev << 32U)) * 0xBF58476D1CE4E5B9U;
    return static_cast<std::size_t>(mixed ^ (mixed >> 32U));
}

void DigestCache::load() {
    loaded_ = true;
    const UniqueFd fd{::open(path_.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
    struct stat info {};
    if (!fd || ::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != ::geteuid()) return;
    if (static_cast<std::uint64_t>(info.st_size) > k_file_max) {
        ::unlink(path_.c_str());
        return;
    }
    std::string bytes(static_cast<std::size_t>(info.st_size), '\0');
    const auto count = read_full(fd.get(), bytes, path_);
    bytes.resize(count ? *count : 0);
    for (std::size_t at = 0; at + k_record_size <= bytes.size(); at += k_record_size) {
        const auto record = Record::from_bytes(std::string_view(bytes).substr(at, k_record_size));
        if (!record) continue;
        Digests& known = known_[record->key];
        known.root = record->root;
        if (record->has_sha256) known.sha256 = record->sha256;
    }
}

std::optional<DigestCache::Digests> DigestCache::find(const proto::FileEntry& entry, bool with_sha256) {
    if (!enabled()) return std::nullopt;
    if (!loaded_) load();
    const auto found = known_.find(key_of(entry));
    if (found == known_.end() || (with_sha256 && !found->second.sha256)) return std::nullopt;
    return found->second;
}

void DigestCache::put(const proto::FileEntry& entry, const Digests& digests) {
    if (!enabled()) return;
    const WallTime now = clock_.wall();
    const std::int64_t youngest = std::max(entry.mtime_ns, entry.ctime_ns);
    // A time in the future proves nothing about rest, so it is never kept either.
    if (now.seconds * 1'000'000'000 + now.nanoseconds - youngest < k_rest_ns) return;
    if (!loaded_) load();
    known_[key_of(entry)] = digests;
    const Record record{key_of(entry), digests.root, digests.sha256.has_value(),
                        digests.sha256.value_or(proto::Digest{})};
    fresh_ += record.to_bytes();
}

void DigestCache::flush() {
    if (fresh_.empty()) return;
    const UniqueFd fd{::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600)};
    struct stat info {};
    // A torn end, left by a full disk or a crash, is cut so that records stay aligned.
    if (fd && ::fstat(fd.get(), &info) == 0) {
        const off_t torn = info.st_size % static_cast<off_t>(k_record_size);
        if (torn == 0 || ::ftruncate(fd.get(), info.st_size - torn) == 0) (void)write_all(fd.get(), fresh_, path_);
    }
    fresh_.clear();
}

}  // namespace drawhitch::helper
