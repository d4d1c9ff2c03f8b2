#include "helper/leaf_hasher.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <span>
#include <string>

#include "base/fd.hpp"
#include "core/proto/limits.hpp"

namespace drawhitch::helper {

namespace {

// What all threads of one call share. Each takes the next leaf.
struct Shared {
    int fd{-1};
    std::uint64_t begin{0};
    std::uint64_t bytes{0};
    std::vector<proto::Digest> leaves{};
    std::atomic<std::size_t> next{0};
    std::atomic<int> error{0};
    std::atomic<bool> cut{false};
};

void hash_share(Shared& shared) {
    std::string raw(proto::k_chunk, '\0');
    while (shared.error == 0 && !shared.cut) {
        const std::size_t leaf = shared.next++;
        if (leaf >= shared.leaves.size()) return;
        const std::span<char> wanted{raw.data(), proto::leaf_size(shared.bytes, leaf)};
        const auto count = pread_full(shared.fd, wanted, shared.begin + leaf * proto::k_chunk, {});
        if (!count) {
            shared.error = errno == 0 ? EIO : errno;
        } else if (*count != wanted.size()) {
            shared.cut = true;
        } else {
            shared.leaves[leaf] = proto::leaf_digest({wanted.data(), wanted.size()});
        }
    }
}

void* start_of_thread(void* shared) {
    hash_share(*static_cast<Shared*>(shared));
    return nullptr;
}

}  // namespace

unsigned usable_cores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
}

HashedLeaves hash_leaves(int fd, std::uint64_t begin, std::uint64_t bytes, unsigned threads) {
    Shared shared;
    shared.fd = fd;
    shared.begin = begin;
    shared.bytes = bytes;
    shared.leaves.resize(proto::leaf_count(bytes));
    // Not std::thread: it throws where a limit is reached, and this program has no exceptions.
    std::vector<pthread_t> others;
    for (unsigned i = 1; i < threads && i < shared.leaves.size(); ++i) {
        pthread_t other{};
        if (::pthread_create(&other, nullptr, &start_of_thread, &shared) != 0) break;
        others.push_back(other);
    }
    hash_share(shared);
    for (const pthread_t other : others)
        ::pthread_join(other, nullptr);
    return {std::move(shared.leaves), shared.error, shared.cut};
}

}  // namespace drawhitch::helper
