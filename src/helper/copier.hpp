// Copier: a second file with the same bytes: a reflink where the file system can, else copied some megabytes a step.
#pragma once

#include <cstdint>
#include <string>

#include "helper/root.hpp"

namespace drawhitch::helper {

class Copier {
  public:
    // Creates `to`, which must not exist; it keeps the source's permission bits and time.
    static Outcome<Copier> start(const Place& from, Place to);
    Copier(Copier&&) = default;
    Copier& operator=(Copier&&) = default;
    // Removes what is unfinished.
    ~Copier();
    // True when all is copied. Call it under a guard.
    Outcome<bool> step();

  private:
    Copier() = default;
    // Bytes copied, 0 at the end of the source, or an errno.
    Outcome<std::uint64_t> copy_some();
    Outcome<std::uint64_t> copy_by_hand();

    OpenedFile source_{};
    Place to_{};
    UniqueFd target_{};
    std::uint64_t done_{0};
    bool finished_{false};
    bool by_hand_{false};
};

}  // namespace drawhitch::helper
