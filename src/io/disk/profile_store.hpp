// Profile texts: those built into the program, and the user's own in <config>/profiles/*.toml, which stand above them.
// Hands out text; core/config makes profiles of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace drawhitch::disk {

struct ProfileText {
    std::string id{};    // the file's name without .toml
    std::string file{};  // for messages: its path, or "generic-ssh.toml (built in)"
    std::string text{};
    bool built_in{false};
    bool overrides{false};  // the user's, standing in for a built-in one
};

class ProfileStore {
  public:
    explicit ProfileStore(std::string config_dir) : folder_(std::move(config_dir) + "/profiles") {}

    // All ids, sorted; files with other names than [a-z0-9-]+.toml are no profiles. Code::permission and local_io when
    // the user's folder cannot be listed; a missing one is empty.
    [[nodiscard]] Result<std::vector<std::string>> ids() const;
    // Code::not_found for an id that neither has, naming those there are; what read_user_file says otherwise.
    [[nodiscard]] Result<ProfileText> read(std::string_view id) const;

  private:
    std::string folder_{};
};

}  // namespace drawhitch::disk
