// Files being made: under a temporary name in the parts directory, or directly under a name that must be free. What was
// begun and not finished is removed again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "helper/root.hpp"

namespace drawhitch::helper {

// Bytes, permission bits (07777 without the set-id ones) and modification time of an open file.
Done fill_file(int fd, std::string_view content, std::uint32_t mode, std::optional<std::int64_t> mtime_ns,
               std::string_view path);
Done set_mode_and_time(int fd, std::uint32_t mode, std::optional<std::int64_t> mtime_ns, std::string_view path);

class TemporaryFile {
  public:
    // In `parts`, whose descriptor must outlive this. `path` is the final name, for refusals.
    static Outcome<TemporaryFile> create(int parts, std::string_view path);
    TemporaryFile(TemporaryFile&& other) noexcept;
    TemporaryFile& operator=(TemporaryFile&&) = delete;
    ~TemporaryFile();

    [[nodiscard]] int fd() const { return fd_.get(); }
    Done fill(std::string_view content, std::uint32_t mode, std::optional<std::int64_t> mtime_ns) {
        return fill_file(fd(), content, mode, mtime_ns, path_);
    }
    // Its state in place.
    Outcome<struct stat> move_to(const Place& place, bool no_replace);

  private:
    TemporaryFile() = default;

    int parts_{-1};
    std::string name_{};  // empty once moved
    std::string path_{};
    UniqueFd fd_{};
};

}  // namespace drawhitch::helper
