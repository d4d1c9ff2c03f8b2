// Remover: rm -r below a place, some names a step. Follows no symlink and enters no other device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "helper/root.hpp"

namespace drawhitch::helper {

class Remover {
  public:
    // What the place names may be anything; a directory on another device is refused before anything is removed.
    static Outcome<Remover> start(Place place, bool recursive);
    // True when all is gone. Call it under a guard.
    Outcome<bool> step();

  private:
    struct Level {
        UniqueFd directory{};
        std::string name{};
        std::string path{};
        std::vector<std::string> names{};
    };

    Remover() = default;
    Outcome<bool> remove_next();
    Done enter(int parent, const std::string& name, std::string path);

    Place place_{};
    bool recursive_{false};
    std::uint64_t dev_{0};
    std::vector<Level> levels_{};
};

}  // namespace drawhitch::helper
