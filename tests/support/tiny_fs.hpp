// TinyFileSystem: a tmpfs with few bytes or inodes, in a mount namespace of its own, without privileges.
#pragma once

#include <functional>
#include <string>

#include "base/error.hpp"

namespace drawhitch::support {

class TinyFileSystem {
  public:
    // `options` as for mount -o: "size=8m,nr_inodes=300". Mounted on `directory`, inside `run` only.
    TinyFileSystem(std::string directory, std::string options);
    // False where the kernel allows no user namespaces: the test is to be skipped, saying so.
    [[nodiscard]] bool available() const;
    // Runs `work` in a child process that sees the file system; returns what it returns. Code::internal if it crashed.
    [[nodiscard]] Code run(const std::function<Code()>& work) const;

  private:
    [[nodiscard]] bool enter() const;
    std::string directory_{};
    std::string options_{};
};

}  // namespace drawhitch::support
