// TestBox: this machine as the box, reached through the built helper over any transport. For tests of the transfer
// engine and the flows above it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "flow/transfer/link.hpp"
#include "io/agent/helper_images.hpp"
#include "io/transport/transport.hpp"

namespace drawhitch::support {

// The helper of this build, as something that can be put on a box.
const agent::HelperImages& built_helper();
std::string built_helper_path();

// Dials the helper over `transport` (not owned) with `root` opened. With `claim` the root is made and claimed, each
// connection taking a new epoch under one owner, as a transfer does that reconnects.
flow::Dial dial_box(transport::Transport& transport, const std::string& root, bool claim);

// The same with a transport of its own for every connection.
using MakeTransport = std::function<std::unique_ptr<transport::Transport>()>;
flow::Dial dial_box_with(MakeTransport make, const std::string& root, bool claim);

}  // namespace drawhitch::support
