// Names to addresses, so that a slow name server can be cancelled.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/op.hpp"

namespace drawhitch::transport {

struct Address {
    sockaddr_storage bytes{};
    socklen_t length{0};
    int family{0};
};

// The addresses of a host in the system's order, IPv6 and IPv4 alternating. Waits at most `patience`; what the system's
// resolver still does after that or after a cancel goes on in a thread of its own and is forgotten. Code::dns.
Result<std::vector<Address>> resolve(const Op& op, const std::string& host, std::uint16_t port, milliseconds patience);

// "203.0.113.7", "2001:db8::1".
std::string shown(const Address& address);

}  // namespace drawhitch::transport
