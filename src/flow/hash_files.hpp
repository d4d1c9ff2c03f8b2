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
    // Called from the hashing threads with the bytes done since the last call.
    std::function<void(std::uint64_t)> progress{};
};

// One result per path, in order. The Error is for cancel and deadline only.
Result<std::vector<HashedFile>> hash_files(const Op& op, const disk::Root& root, const std::vector<std::string>& paths,
                                           const HashOptions& options);

}  // namespace drawhitch::flow
