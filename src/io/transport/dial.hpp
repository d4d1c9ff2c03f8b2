// TCP connections to the first of a host's addresses that answers.
#pragma once

#include <chrono>
#include <optional>

#include "base/fd.hpp"
#include "io/transport/endpoint.hpp"

namespace drawhitch::transport {

// A connected, non-blocking socket with keep-alive and without Nagle's delay. Addresses are tried in turn, the next one
// a quarter of a second after the last; the first to answer wins. Codes: dns, refused, connect_timeout, cancelled,
// deadline.
Result<UniqueFd> dial(const Op& op, const SshTarget& target);

// The kernel's smoothed round trip of a connected TCP socket; nothing on systems that do not tell.
std::optional<std::chrono::nanoseconds> path_round_trip(int socket);

}  // namespace drawhitch::transport
