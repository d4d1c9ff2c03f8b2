// LandingNotes: what one pull is about to put under names the user can see, and what it moved aside there, kept in its
// private directory until the ledger has it: a pull that is killed in between must know its own work again.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.hpp"
#include "io/disk/set_aside.hpp"

namespace drawhitch::disk {

struct LandingNotes {
    std::multimap<std::string, std::string> put{};  // path -> root digest of what was to land there, hex
    std::vector<MovedAside> aside{};
};

// None where there are none. What a crash cut off at the end is left out.
LandingNotes read_landing_notes(const Root& destination, const std::string& id);

// Appends; one write a call. Not thread-safe.
class LandingNotebook {
  public:
    static constexpr const char* k_name = "landed";

    // In the open private directory.
    static Result<LandingNotebook> open(int directory);
    static std::string put_note(std::string_view path, std::string_view root);
    static std::string aside_note(const MovedAside& moved);
    Status write(std::string_view notes);
    // On disk before this returns.
    Status flush();

  private:
    explicit LandingNotebook(UniqueFd fd) : fd_(std::move(fd)) {}
    UniqueFd fd_{};
};

}  // namespace drawhitch::disk
