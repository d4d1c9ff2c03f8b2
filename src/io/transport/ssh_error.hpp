// The one place where failures of names, TCP, libssh2 and the `ssh` program become our Codes, with one line of cause
// and one line of what to do. Tables; nothing here connects or retries.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "io/transport/endpoint.hpp"

namespace drawhitch::transport {

// A getaddrinfo code.
Error resolver_error(int code, std::string_view host);
// The errno of a TCP connection that did not come about.
Error connect_error(int error_number, const SshTarget& target);

// Where in the life of a connection libssh2 gave up.
enum class SshPhase { greeting, handshake, authentication, opening, running };

// What is known about a failure of an SSH connection that TCP had established.
struct SshTrouble {
    SshPhase phase{SshPhase::running};
    int code{0};             // libssh2's, 0 when it was content
    std::string detail{};    // libssh2's own words
    std::string greeting{};  // the first bytes the server sent, as they came
    bool closed{false};      // the server ended the TCP connection
    int socket_error{0};     // errno of the socket, if it failed
    std::string farewell{};  // the server's own disconnect message
};
Error ssh_error(const SshTrouble& trouble, const SshTarget& target);

// No byte came for `quiet` although an answer was owed.
Error stalled_error(SshPhase phase, milliseconds quiet, const std::string& greeting, const SshTarget& target);

// Whether "Permission denied (METHODS)" in a text names methods that a person answers, and none for a key.
bool wants_person(std::string_view text);

// What the user's `ssh` wrote before it ended with 255.
Error openssh_error(std::string_view err, const SshTarget& target);

}  // namespace drawhitch::transport
