// Finding a place for the helper on a box and putting it there, by POSIX shell scripts. Private to this room.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/agent/helper_images.hpp"
#include "io/transport/transport.hpp"

namespace drawhitch::agent {

// What one round trip tells about a box.
struct Survey {
    std::string arch{};                  // as `uname -m` says it, but amd64 and arm64 by our names
    std::string existing{};              // path of our helper, if one lies anywhere and runs
    std::string place{};                 // else: the first directory of ours that can be written and executed in
    std::vector<std::string> refused{};  // "DIRECTORY: why", for the error when there is none
    bool can_unpack{false};              // the box has zstd
};

// Asks the box. Every directory that is missing is made (0700); one that is not ours, or that others may write to, is
// never used. Places in `tried` are passed over. Code::shell_missing and the transport's Codes.
Result<Survey> survey(const Op& op, transport::Transport& transport, const HelperImages& images,
                      std::string_view data_dir, std::span<const std::string> tried);

// Uploads the image into the survey's place and lets it run once with --version before it is renamed to its final name.
// Helpers of other builds that have not been touched for 30 days go. Returns its path. Code::no_space when there is no
// room, Code::noexec when it does not run, Code::remote_failed else.
Result<std::string> install(const Op& op, transport::Transport& transport, const HelperImage& image,
                            const Survey& survey);

}  // namespace drawhitch::agent
