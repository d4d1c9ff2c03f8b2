// UniqueFd and the read/write loops around raw descriptors. Compiles into the helper, too.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"

namespace drawhitch {

// Owns one descriptor and closes it. Close errors are lost on purpose: whoever needs durability calls fsync first.
class UniqueFd {
  public:
    UniqueFd() = default;
    explicit UniqueFd(int fd) : fd_(fd) {}
    UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    UniqueFd& operator=(UniqueFd&& other) noexcept {
        if (this != &other) reset(std::exchange(other.fd_, -1));
        return *this;
    }
    UniqueFd(const UniqueFd&) = delete;
    UniqueFd& operator=(const UniqueFd&) = delete;
    ~UniqueFd() { reset(); }

    [[nodiscard]] int get() const noexcept { return fd_; }
    explicit operator bool() const noexcept { return fd_ >= 0; }
    int release() noexcept { return std::exchange(fd_, -1); }
    void reset(int fd = -1) noexcept;

  private:
    int fd_{-1};
};

struct Pipe {
    UniqueFd read{};
    UniqueFd write{};
};
// A pipe with close-on-exec set on both ends.
Result<Pipe> make_pipe();

Status set_nonblocking(int fd);

// Write all bytes to a blocking descriptor; EINTR is retried. `what` names the target in the error.
Status write_all(int fd, std::string_view data, std::string_view what);
// Write all bytes at an offset of a regular file.
Status pwrite_all(int fd, std::string_view data, std::size_t offset, std::string_view what);
// Read until `buffer` is full or the file ends; returns the count read.
Result<std::size_t> read_full(int fd, std::span<char> buffer, std::string_view what);
Result<std::size_t> pread_full(int fd, std::span<char> buffer, std::size_t offset, std::string_view what);

}  // namespace drawhitch
