#include "flow/hash_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <thread>
#include <utility>

#include "base/text.hpp"
#include "core/proto/limits.hpp"
#include "io/disk/tree_walk.hpp"

namespace drawhitch::flow {

namespace {

constexpr unsigned k_most_threads = 4;
constexpr std::size_t k_files_worth_a_thread = 16;

Result<proto::Fence> fence_of(int fd, const std::string& path) {
    struct stat found {};
    if (::fstat(fd, &found) != 0) return errno_error(errno, "look at", path);
    return disk::entry_from_stat(path, found).fence();
}

struct Request {
    const disk::Root& root;
    const HashOptions& options;
    const std::string& path;
    std::size_t index{0};
};

Result<proto::FileDigester::Result> hash_one(const Op& op, const Request& request, std::string& buffer) {
    const auto& [root, options, path, index] = request;
    TRY_ASSIGN(const UniqueFd fd, options.open ? options.open(path) : root.read_file(path));
    TRY_ASSIGN(const proto::Fence before, fence_of(fd.get(), path));
    proto::FileDigester digester{options.sha256};
    for (std::uint64_t at = 0;;) {
        TRY(op.check());
        TRY_ASSIGN(const std::size_t count, pread_full(fd.get(), buffer, static_cast<std::size_t>(at), path));
        digester.update({buffer.data(), count});
        at += count;
        if (options.inspect && at == count) options.inspect(index, {buffer.data(), count});
        if (count < buffer.size() || at > before.size) break;
    }
    auto digests = digester.finish();
    TRY_ASSIGN(const proto::Fence after, fence_of(fd.get(), path));
    if (!(before == after)) return Error{Code::changed, printable(path) + " changed while it was read"};
    if (digests.size != before.size) {
        return Error{Code::local_io, printable(path) + " holds more or fewer bytes than its size says"};
    }
    return digests;
}

}  // namespace

Result<std::vector<HashedFile>> hash_files(const Op& op, const disk::Root& root, const std::vector<std::string>& paths,
                                           const HashOptions& options) {
    std::vector<HashedFile> results(paths.size());
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::optional<Error> stopped;
    const auto work = [&] {
        std::string buffer(proto::k_chunk, '\0');
        for (std::size_t i = next++; i < paths.size(); i = next++) {
            auto hashed = hash_one(op, {root, options, paths[i], i}, buffer);
            if (hashed) {
                results[i].digests = std::move(*hashed);
                continue;
            }
            const Code code = hashed.error().code;
            if (code == Code::cancelled || code == Code::deadline) {
                const std::lock_guard lock{mutex};
                stopped = std::move(hashed).error();
                return;
            }
            results[i].error = std::move(hashed).error();
        }
    };
    const auto useful = static_cast<unsigned>(paths.size() / k_files_worth_a_thread + 1);
    const unsigned count = std::min({useful, k_most_threads, std::max(1U, std::thread::hardware_concurrency())});
    std::vector<std::thread> others;
    for (unsigned i = 1; i < count; ++i) {
        others.emplace_back(work);
    }
    work();
    for (std::thread& other : others) {
        other.join();
    }
    if (stopped) return *stopped;
    return results;
}

HashingBeside::HashingBeside(const Op& op, const disk::Root& root, std::vector<std::string> paths, HashOptions options)
    : end_(&op.cancel), begun_(op.clock.wall()) {
    thread_ = std::thread{[this, op, &root, paths = std::move(paths), options = std::move(options)] {
        const Op theirs{end_, op.clock, op.events, op.deadline};
        result_ = hash_files(theirs, root, paths, options);
        done_ = true;
    }};
}

HashingBeside::~HashingBeside() {
    end_.request();
    if (thread_.joinable()) thread_.join();
}

Result<HashingBeside::Hashed> HashingBeside::wait(const Op& op, const std::function<Status(const Op&)>& meanwhile) {
    constexpr milliseconds k_look_every{5};
    while (!done_) {
        op.clock.sleep(k_look_every, op.cancel);
        TRY(op.check());
        TRY(meanwhile(op));
    }
    thread_.join();
    TRY_ASSIGN(auto files, std::move(result_));
    return Hashed{std::move(files), begun_};
}

Result<HashedFile> hash_copy(const Op& op, const std::string& path, bool sha256) {
    TRY_ASSIGN(const disk::Root root, disk::Root::open("/"));
    HashOptions options{};
    options.sha256 = sha256;
    options.open = [](const std::string& place) { return disk::open_regular(AT_FDCWD, place, place); };
    TRY_ASSIGN(auto hashed, hash_files(op, root, {path}, options));
    return std::move(hashed.front());
}

}  // namespace drawhitch::flow
