// hash_files: digests of local files, on a few threads.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/op.hpp"
#include "core/proto/digest.hpp"
#include "io/disk/root.hpp"

namespace drawhitch::flow {

struct HashedFile {
    proto::FileDigester::Result digests{};
    std::optional<Error> error{};  // not_found, permission …; Code::changed if it changed while it was read
};

struct HashOptions {
    bool sha256{false};  // the plain one as well
    // Called from the hashing threads with the first MiB of each file, before it is hashed on.
    std::function<void(std::size_t index, std::string_view head)> inspect{};
    // How a path is opened; empty: below `root`, no symlink followed.
    std::function<Result<UniqueFd>(const std::string& path)> open{};
};

// One result per path, in order. The Error is for cancel and deadline only.
Result<std::vector<HashedFile>> hash_files(const Op& op, const disk::Root& root, const std::vector<std::string>& paths,
                                           const HashOptions& options);

// The same in a thread beside, for whoever has to wait for something else meanwhile. An end before its time stops it.
class HashingBeside {
  public:
    struct Hashed {
        std::vector<HashedFile> files{};
        WallTime begun{};  // before any of them was read
    };
    // `root` and what the op refers to outlive it.
    HashingBeside(const Op& op, const disk::Root& root, std::vector<std::string> paths, HashOptions options);
    ~HashingBeside();
    HashingBeside(const HashingBeside&) = delete;
    HashingBeside& operator=(const HashingBeside&) = delete;

    // Once only. `meanwhile` is called now and then until it is done: its Error is the answer then.
    Result<Hashed> wait(const Op& op, const std::function<Status(const Op&)>& meanwhile);

  private:
    Cancel end_;
    std::atomic<bool> done_{false};
    Result<std::vector<HashedFile>> result_{std::vector<HashedFile>{}};
    WallTime begun_{};
    std::thread thread_{};
};

// One copy on this machine, by its absolute path. The user may have linked the directories above it; the file itself is
// no link. The Error is for cancel and deadline only.
Result<HashedFile> hash_copy(const Op& op, const std::string& path, bool sha256);

}  // namespace drawhitch::flow
