// Installing a public key with a password, once, so that no password is needed again. Part of adopt.
#pragma once

#include <string>

#include "io/transport/endpoint.hpp"

namespace drawhitch::flow {

// Adds the public half of the target's first identity file (else of ~/.ssh/id_*) to ~/.ssh/authorized_keys on the box;
// a key that is there already changes nothing. The password is sent only after `keys` accepted the host. Codes: auth,
// key_unusable (no public key), host_key, remote_failed, and the transport's.
Status install_key(const Op& op, const transport::SshTarget& target, transport::HostKeyPolicy& keys,
                   const std::string& password);

}  // namespace drawhitch::flow
