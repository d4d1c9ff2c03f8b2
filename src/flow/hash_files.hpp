// hash_files: digests of local files, on a few threads.
#pragma once

#include <functional>
#include <optional>
#include <string>
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

// One copy on this machine, by its absolute path. The user may have linked the directories above it; the file itself is
// no link. The Error is for cancel and deadline only.
Result<HashedFile> hash_copy(const Op& op, const std::string& path, bool sha256);

}  // namespace drawhitch::flow
