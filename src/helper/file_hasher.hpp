// FileHasher: the digests of one open file under a fence, a few megabytes a step.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/proto/digest.hpp"
#include "helper/root.hpp"

namespace drawhitch::helper {

struct HashRange {
    std::uint64_t first{0};  // leaf
    std::uint64_t count{0};  // 0 = to the end
};

// What a fence says of an open file: nothing if it holds, else the refusal `changed` with the state found.
Done check_fence(int fd, const proto::Fence& fence, std::string_view path);
// True if there are bytes behind `size`: the file grew, or its size is not true. To be asked before the fence is.
bool continues_at(int fd, std::uint64_t size);

class FileHasher {
  public:
    // The fence is the state at opening unless one is given. Refused at once if that does not hold.
    // `threads` is how many may work on it at once, where only leaves are asked for; 0 = as the box has cores.
    static Outcome<FileHasher> open(const Place& place, const std::optional<proto::Fence>& fence, HashRange range,
                                    bool with_sha256, unsigned threads = 0);

    // True when all is hashed. `changed` if the fence broke.
    Outcome<bool> step();

    [[nodiscard]] const struct stat& info() const { return file_.info; }
    [[nodiscard]] std::uint64_t bytes_done() const { return done_; }
    [[nodiscard]] std::uint64_t bytes_total() const { return end_ - begin_; }
    [[nodiscard]] bool whole() const { return begin_ == 0 && end_ == fence_.size; }
    // After step said true. `root` means something for whole files only.
    [[nodiscard]] proto::FileDigester::Result finish() { return digester_.finish(); }

  private:
    FileHasher() = default;
    Done hash_some();
    Done hash_beside();
    [[nodiscard]] Done cut_short() const;

    OpenedFile file_{};
    std::string path_{};
    proto::Fence fence_{};
    std::uint64_t begin_{0};
    std::uint64_t end_{0};
    std::uint64_t done_{0};
    unsigned threads_{1};
    proto::FileDigester digester_{};
};

}  // namespace drawhitch::helper
