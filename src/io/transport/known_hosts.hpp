// What the user's own known_hosts files say of a host, read through ssh-keygen (hashed names and all). They are never
// written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/op.hpp"
#include "core/model/lease.hpp"

namespace drawhitch::transport {

// The keys known for host and port in ~/.ssh/known_hosts; none when there is no such file or program. Revoked keys and
// certificate authorities are left out.
Result<std::vector<model::HostKey>> known_host_keys(const Op& op, const std::string& home, const std::string& host,
                                                    std::uint16_t port);

// The keys in the lines that `ssh-keygen -F` prints; pure.
std::vector<model::HostKey> parse_known_hosts(std::string_view text);

}  // namespace drawhitch::transport
