// The line a provider's console gives ("ssh -p 40022 root@203.0.113.7 -L 8080:localhost:8080"), pasted as it is. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace drawhitch::parse {

struct SshLine {
    std::string destination{};  // host name, address or alias of the user's configuration
    std::string user{};         // empty: not said
    std::optional<std::uint16_t> port{};
    std::string identity_file{};             // as written
    std::vector<std::string> passed_over{};  // parts that have no meaning for drawhitch: "-L 8080:localhost:8080"
};

// `words` are the words of the line with or without the leading "ssh"; one word with spaces in it is split. Also takes
// ssh://user@host:port. Code::usage says what is wrong with it.
Result<SshLine> ssh_line(const std::vector<std::string>& words);

}  // namespace drawhitch::parse
