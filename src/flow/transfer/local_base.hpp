// LocalBase: the file here to which chunks of a pull may come as differences. Opened once below the destination, so
// that what is renamed or linked later leads nowhere else; its bytes are read when they are needed and prove nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/fd.hpp"
#include "flow/transfer/pull_types.hpp"
#include "io/disk/root.hpp"

namespace drawhitch::flow {

// Thread-safe, but for `useless`, which its owner guards.
class LocalBase {
  public:
    // Null where the file cannot be opened: nothing is lost but the shorter way.
    static std::shared_ptr<LocalBase> open(const disk::Root& destination, const std::shared_ptr<const PullBase>& base);

    [[nodiscard]] const PullBase& named() const { return *base_; }
    // The bytes of one chunk, fewer at the file's end; empty behind it and where they cannot be read.
    [[nodiscard]] std::string chunk(std::uint32_t index) const;

    std::uint32_t useless{0};  // chunks in a row that came whole

  private:
    LocalBase(UniqueFd fd, std::shared_ptr<const PullBase> base) : fd_(std::move(fd)), base_(std::move(base)) {}
    UniqueFd fd_{};
    std::shared_ptr<const PullBase> base_{};
};

}  // namespace drawhitch::flow
